// SPDX-License-Identifier: Apache-2.0
#include "runtime/init/steps.h"

#include <asm/errno.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

enum Modes : uint8_t { kCreate = 1, kExec = 2, kHook = 4, kProcess = kCreate | kExec, kAll = 7 };

struct Row {
    Step step;
    long (*run)(Run&) noexcept;
    uint8_t modes;
};

// The order is the security argument, so it stands in one place and is read from top to bottom.
constexpr Row kSteps[] = {
    {Step::start, start, kAll},
    {Step::join_namespaces, join_namespaces, kAll},
    {Step::new_namespaces, new_namespaces, kCreate},
    {Step::fork, fork_early, kCreate},
    {Step::mount_namespace, mount_namespace, kCreate},
    {Step::staged, staged, kCreate},
    {Step::await_parent, await_parent, kAll},
    {Step::cgroup_namespace, cgroup_namespace, kCreate},
    {Step::private_proc, private_proc, kProcess},
    {Step::network, network, kCreate},
    {Step::root, attach_root, kCreate},
    {Step::mounts, mounts, kCreate},
    {Step::devices, devices, kCreate},
    {Step::links, links, kCreate},
    {Step::await_parent, await_placement, kCreate},
    {Step::hooks, hooks, kCreate},
    {Step::sysctls, sysctls, kCreate},
    {Step::console, console, kProcess},
    {Step::readonly_paths, readonly_paths, kCreate},
    {Step::masked_paths, masked_paths, kCreate},
    {Step::pivot_root, pivot_root, kCreate},
    {Step::verify_root, verify_root, kProcess},
    {Step::cwd, cwd, kAll},
    {Step::seal_root, seal_root, kCreate},
    {Step::hostname, hostname, kCreate},
    {Step::domainname, domainname, kCreate},
    {Step::rlimits, rlimits, kProcess},
    {Step::keyring, keyring, kProcess},
    {Step::home, home, kProcess},
    {Step::identity, identity, kProcess},
    {Step::verify_identity, verify_identity, kProcess},
    {Step::program, program, kAll},
    {Step::fork, fork_late, kExec | kHook},
    {Step::session, session, kProcess},
    {Step::label, label, kProcess},
    {Step::gate, gate, kAll},
    {Step::enter_cell, enter_cell, kCreate},
    {Step::no_new_privs, no_new_privs, kProcess},
    {Step::seccomp, seccomp, kProcess},
    {Step::exec, exec, kAll},
};

constexpr size_t position(Step wanted) {
    size_t i = 0;
    while (kSteps[i].step != wanted)
        ++i;
    return i;
}

// The orderings that must not be broken by a later edit, stated so that the compiler checks them.
static_assert(position(Step::await_parent) < position(Step::cgroup_namespace),
              "a cgroup namespace takes its root from where the process is");
static_assert(position(Step::staged) < position(Step::root), "the root is one of them");
static_assert(position(Step::network) < position(Step::mounts), "sysfs belongs to the cell");
static_assert(position(Step::mounts) < position(Step::masked_paths), "masks come after binds");
static_assert(position(Step::masked_paths) < position(Step::pivot_root));
static_assert(position(Step::pivot_root) + 1 == position(Step::verify_root));
static_assert(position(Step::cwd) < position(Step::seal_root), "a missing cwd is made (C07)");
static_assert(position(Step::identity) + 1 == position(Step::verify_identity));
static_assert(position(Step::verify_identity) < position(Step::program),
              "the program is looked up with the rights that it will have");
static_assert(position(Step::label) < position(Step::gate), "a missing profile fails create (S3)");
static_assert(position(Step::gate) < position(Step::enter_cell));
static_assert(position(Step::enter_cell) < position(Step::seccomp));
static_assert(position(Step::no_new_privs) < position(Step::seccomp));
static_assert(position(Step::seccomp) + 1 == position(Step::exec));

uint8_t bit(Mode mode) {
    switch (mode) {
        case Mode::create:
            return kCreate;
        case Mode::exec:
            return kExec;
        case Mode::hook:
            return kHook;
    }
    return 0;
}

}  // namespace

Message run_steps(const InitPlan& plan, Kernel& kernel) noexcept {
    Run run{.plan = plan, .k = kernel, .report_fd = plan.sync_fd};
    Message failure{.word = Word::failed, .step = Step::exec, .err = ENOEXEC};
    for (const Row& row : kSteps) {
        if ((row.modes & bit(plan.mode)) == 0)
            continue;
        run.index = 0;
        const long result = row.run(run);
        if (result >= 0)
            continue;
        failure.step = row.step;
        failure.index = run.index;
        failure.err = static_cast<int32_t>(-result);
        failure.call = kernel.failed_call;
        copy_text(failure.detail, sizeof failure.detail, run.detail);
        break;
    }
    (void)send_message(run, failure, -1);  // the parent may be gone: then nobody is left to tell
    return failure;
}

}  // namespace hardrun::init
