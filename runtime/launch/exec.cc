// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/exec.h"

#include "runtime/launch/console.h"
#include "runtime/launch/enter.h"
#include "runtime/launch/filter.h"
#include "runtime/launch/process_setup.h"

namespace hardrun::launch {
namespace {

class IntoGroup final : public Placement {
  public:
    IntoGroup(cgroup::Driver* groups, std::string sub) : groups_(groups), sub_(std::move(sub)) {}
    Status place(pid_t pid) override {
        return groups_ == nullptr ? Status() : groups_->join(pid, sub_);
    }

  private:
    cgroup::Driver* groups_;
    std::string sub_;
};

// By the policy of create: never by the bundle's.
Result<plan::Process> plan_of(const ExecOptions& options, const StoredSpec& stored) {
    config::Process process = options.process;
    const auto& own = stored.spec.spec().process;
    if (!process.capabilities && own)
        process.capabilities = own->capabilities;
    HARDRUN_TRY(process, config::harden_exec(std::move(process), stored.spec, stored.facts));
    return plan::plan_process(process, stored.facts);
}

Status check_exec(const Container& container, const ExecOptions& options) {
    const bool paused = container.state() == state::State::paused;
    if (paused && options.ignore_paused)
        return {};
    return state::check(state::Operation::exec, container.state(), container.record().id);
}

}  // namespace

Result<StoredSpec> read_stored(const Container& container) {
    const KernelFacts facts = probe_kernel();
    HARDRUN_TRY(config::HardenedSpec spec, container.hardened(facts));
    return StoredSpec{facts, std::move(spec)};
}

Result<config::Process> default_process(const StoredSpec& stored) {
    if (!stored.spec.spec().process)
        return Error(Errc::bad_config,
                     "process: the container was created without one; give it with --process");
    return *stored.spec.spec().process;
}

Result<Executed> exec(const Container& container, const StoredSpec& stored,
                      const ExecOptions& options) {
    HARDRUN_CHECK(check_exec(container, options));
    HARDRUN_TRY(const plan::Process process, plan_of(options, stored));
    HARDRUN_CHECK(check_terminal(process, options.console_socket, options.foreground));
    Fd console_socket;
    if (!options.console_socket.empty()) {
        HARDRUN_TRY(console_socket, connect_console(options.console_socket));
    }
    HARDRUN_TRY(const auto filter, filter_of(stored.spec.spec().linux, options.cache_folder));
    HARDRUN_TRY(auto joins, open_joins_of(container));
    HARDRUN_TRY(const auto groups, container.groups());
    IntoGroup placement(groups.get(), options.sub_cgroup);
    HARDRUN_TRY(Entered entered, enter({.record = container.record(),
                                        .joins = std::move(joins),
                                        .process = process,
                                        .filter = filter ? &*filter : nullptr,
                                        .stdio = {},
                                        .preserve_fds = options.preserve_fds,
                                        .keyring_name = "_ses." + container.record().id},
                                       &placement));
    if (console_socket.valid())
        HARDRUN_CHECK(send_console(console_socket, entered.console));
    if (!options.pid_file.empty())
        HARDRUN_CHECK(write_pid_file(options.pid_file, entered.pid));
    HARDRUN_CHECK(let_go(entered));
    return Executed{entered.pid, std::move(entered.pidfd), std::move(entered.console)};
}

}  // namespace hardrun::launch
