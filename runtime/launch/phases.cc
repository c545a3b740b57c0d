// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/phases.h"

#include <linux/sched.h>

#include <string>

#include "hooks/runner.h"
#include "runtime/base/log.h"
#include "runtime/launch/container.h"
#include "runtime/launch/enter.h"

namespace hardrun::launch {
namespace {

std::string_view name(Phase phase) {
    switch (phase) {
        case Phase::prestart:
            return "prestart";
        case Phase::create_runtime:
            return "createRuntime";
        case Phase::create_container:
            return "createContainer";
        case Phase::start_container:
            return "startContainer";
        case Phase::poststart:
            return "poststart";
        case Phase::poststop:
            return "poststop";
    }
    return "?";
}

hooks::Hook hook_of(Phase phase, size_t index, const config::Hook& hook) {
    return {.json_path = "hooks." + std::string(name(phase)) + "[" + std::to_string(index) + "]",
            .path = hook.path,
            .args = hook.args,
            .env = hook.env.value_or(std::vector<std::string>()),
            .timeout_seconds = hook.timeout_seconds};
}

hooks::Surroundings around(const HookSituation& now) {
    hooks::Surroundings out{.state_json = state_json(now.record, now.state),
                            .folder = now.record.bundle};
    if (now.init_pidfd >= 0)
        out.watched_pidfd = now.init_pidfd;
    return out;
}

// A hook started through init instead of by fork: in the container's namespaces.
hooks::Starter starter(const HookSituation& now, init::Mode mode, plan::Process process) {
    return [&record = now.record, init = now.init_pidfd, mode,
            process = std::move(process)](const hooks::Stdio& stdio) -> Result<hooks::Started> {
        std::vector<OpenedJoin> joins;
        HARDRUN_TRY(joins, open_joins_of_pid(FdRef::borrowed(init), record.init.pid));
        HARDRUN_TRY(Entered entered,
                    enter({.record = record,
                           .joins = std::move(joins),
                           .mode = mode,
                           .process = process,
                           .stdio = std::array<int, 3>{stdio.input, stdio.output, stdio.output},
                           .keyring_name = {}},
                          nullptr));
        HARDRUN_CHECK(let_go(entered));
        return hooks::Started{entered.pid, std::move(entered.pidfd)};
    };
}

}  // namespace

Status run_phase(Phase phase, const std::vector<config::Hook>& list, const HookSituation& now) {
    for (size_t i = 0; i < list.size(); ++i)
        HARDRUN_CHECK(hooks::run(hook_of(phase, i, list[i]), around(now)));
    return {};
}

void run_poststop(const std::vector<config::Hook>& list, const state::Record& record) {
    const HookSituation now{record, state::State::stopped, -1};
    for (const config::Hook& hook : list)
        if (const Status run = run_phase(Phase::poststop, {hook}, now); !run)
            log::warning(run.error().what());
}

Status run_in_namespaces(Phase phase, const std::vector<config::Hook>& list,
                         const HookSituation& now) {
    for (size_t i = 0; i < list.size(); ++i) {
        plan::Process process;
        process.args = list[i].args.empty() ? std::vector<std::string>{list[i].path} : list[i].args;
        process.env = list[i].env.value_or(std::vector<std::string>());
        process.candidates = {list[i].path};
        process.cwd = now.record.bundle;
        HARDRUN_CHECK(hooks::run(hook_of(phase, i, list[i]), around(now),
                                 starter(now, init::Mode::hook, std::move(process))));
    }
    return {};
}

Status run_in_container(Phase phase, const std::vector<config::Hook>& list,
                        const HookSituation& now, const plan::Process& container) {
    for (size_t i = 0; i < list.size(); ++i) {
        plan::Process process = container;
        process.args = list[i].args.empty() ? std::vector<std::string>{list[i].path} : list[i].args;
        if (list[i].env) {
            process.env = *list[i].env;
            process.home_missing = false;
        }
        process.candidates = {list[i].path};
        process.searched = false;
        process.terminal = false;
        HARDRUN_CHECK(hooks::run(hook_of(phase, i, list[i]), around(now),
                                 starter(now, init::Mode::exec, std::move(process))));
    }
    return {};
}

}  // namespace hardrun::launch
