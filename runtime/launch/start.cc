// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/start.h"

#include <signal.h>

#include "runtime/base/facts.h"
#include "runtime/base/log.h"
#include "runtime/launch/conversation.h"
#include "runtime/launch/phases.h"
#include "runtime/launch/unix_socket.h"

namespace hardrun::launch {
namespace {

Status start_hooks(const Container& container, const config::HardenedSpec& spec,
                   const KernelFacts& facts) {
    const auto& hooks = spec.spec().hooks.start_container;
    if (hooks.empty())
        return {};
    HARDRUN_TRY(const plan::Process process, plan::plan_process(*spec.spec().process, facts));
    const HookSituation now{container.record(), state::State::created, container.init().get()};
    return run_in_container(Phase::start_container, hooks, now, process);
}

// The program runs already: a hook that fails now is said and does not stop it (runtime.md,
// "Lifecycle").
void poststart_hooks(const Container& container, const config::HardenedSpec& spec) {
    const HookSituation now{container.record(), state::State::running,
                            -1};  // it may be short-lived
    if (const Status run = run_phase(Phase::poststart, spec.spec().hooks.poststart, now); !run)
        log::warning(run.error().what());
}

// Answers when the program was executed, or why not.
Status release(FdRef channel, const config::HardenedSpec& spec) {
    HARDRUN_CHECK(say_go(channel));
    HARDRUN_TRY(const Heard heard, hear(channel));
    if (heard.closed)
        return {};
    Names names;
    if (const auto& process = spec.spec().process; process) {
        if (!process->args.empty())
            names.program = process->args.front();
        names.apparmor = process->apparmor_profile.value_or("");
    }
    return describe(heard.message, names);
}

// Takes the gate's name away under the lock, so that of two starts one wins.
Result<Fd> pass_gate(const Container& container) {
    HARDRUN_TRY(const state::Lock lock, container.entry().lock());
    if (!container.entry().gate_closed())
        return Error(Errc::bad_state, "cannot start an already running container");
    HARDRUN_TRY(Fd channel,
                connect_in(container.entry().dir(), state::kGateFile, SocketKind::seqpacket));
    HARDRUN_CHECK(container.entry().open_gate());
    return channel;
}

Status start_with(const Container& container, const config::HardenedSpec& spec,
                  const KernelFacts& facts, FdRef channel) {
    Status started = start_hooks(container, spec, facts);
    if (started)
        started = release(channel, spec);
    if (!started) {
        (void)state::send_signal(container.init(), SIGKILL);  // mostly gone by itself
        return started;
    }
    poststart_hooks(container, spec);
    return {};
}

Status check_process(const config::HardenedSpec& spec) {
    if (spec.spec().process)
        return {};
    return Error(Errc::bad_config, "process: config.json has none, so there is nothing to start");
}

}  // namespace

Status start(const Container& container) {
    HARDRUN_CHECK(state::check(state::Operation::start, container.state(), container.record().id));
    const KernelFacts facts = probe_kernel();
    HARDRUN_TRY(const config::HardenedSpec spec, container.hardened(facts));
    HARDRUN_CHECK(check_process(spec));
    HARDRUN_TRY(const Fd channel, pass_gate(container));
    return start_with(container, spec, facts, channel);
}

Status start(const Created& created) {
    HARDRUN_CHECK(check_process(created.spec));
    return start_with(created.container, created.spec, created.facts, created.sync);
}

}  // namespace hardrun::launch
