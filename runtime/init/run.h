// SPDX-License-Identifier: Apache-2.0
// What the steps share: the plan, the kernel, and the few descriptors that init makes itself. A
// step gives 0 or a negative errno; it sets `index` to the element it is at, so that the report can
// name it.
#pragma once

#include "runtime/init/init_plan.h"
#include "runtime/init/kernel.h"
#include "runtime/init/report.h"

namespace hardrun::init {

struct Run {
    const InitPlan& plan;
    Kernel& k;
    uint16_t index = 0;
    int proc_fd = -1;            // a procfs of our own that nobody can mount over
    int cell_fd = -1;            // the cell's network namespace
    int sysfs_fd = -1;           // the cell's sysfs, until its mount's turn comes
    int report_fd = -1;          // where a failure goes: the parent, later whoever opened the gate
    int mask_fd = -1;            // an empty read-only tmpfs with one directory and one file
    int late_readonly[64] = {};  // mounts to be made read-only when all is in place
    size_t late_count = 0;
    bool in_cwd = false;
    const char* program = nullptr;
    RootIdentity root{};
    char home[4096] = {};
    char detail[96] = {};
};

// The steps, one file a family. The table in steps.cc has their order.
long start(Run&) noexcept;
long join_namespaces(Run&) noexcept;
long new_namespaces(Run&) noexcept;
long fork_early(Run&) noexcept;
long fork_late(Run&) noexcept;
long await_parent(Run&) noexcept;
long await_placement(Run&) noexcept;
long mount_namespace(Run&) noexcept;
long staged(Run&) noexcept;
long cgroup_namespace(Run&) noexcept;
long network(Run&) noexcept;
long private_proc(Run&) noexcept;
long attach_root(Run&) noexcept;
long mounts(Run&) noexcept;
long devices(Run&) noexcept;
long links(Run&) noexcept;
long hooks(Run&) noexcept;
long sysctls(Run&) noexcept;
long readonly_paths(Run&) noexcept;
long masked_paths(Run&) noexcept;
long console(Run&) noexcept;
long pivot_root(Run&) noexcept;
long verify_root(Run&) noexcept;
long seal_root(Run&) noexcept;
long hostname(Run&) noexcept;
long domainname(Run&) noexcept;
long rlimits(Run&) noexcept;
long cwd(Run&) noexcept;
long keyring(Run&) noexcept;
long identity(Run&) noexcept;
long verify_identity(Run&) noexcept;
long home(Run&) noexcept;
long program(Run&) noexcept;
long session(Run&) noexcept;
long gate(Run&) noexcept;
long enter_cell(Run&) noexcept;
long label(Run&) noexcept;
long no_new_privs(Run&) noexcept;
long seccomp(Run&) noexcept;
long exec(Run&) noexcept;

// ---- shared by the families ---------------------------------------------------------------------

// Sends one message, with a descriptor when `fd` is not negative.
long send_message(Run&, const Message&, int fd) noexcept;

// Waits for the parent's next word; -ECANCELED when the parent is gone.
long await_go(Run&) noexcept;

// Opens a path below `root` as O_PATH, never leaving it: symlinks are resolved as the container
// will (openat2 with RESOLVE_IN_ROOT), magic links are refused.
long open_in_root(Kernel&, int root, const char* path, uint64_t flags, uint64_t resolve) noexcept;

// The same, making what is missing: directories 0755, and a last component of the kind asked for.
long open_or_make(Kernel&, int root, const char* path, Target kind) noexcept;

// Splits a path below the root into its parent (opened, made when missing) and its last component.
long open_parent(Kernel&, int root, const char* path, const char** last) noexcept;

long set_propagation(Kernel&, int fd, const char* path, uint64_t ms_flags) noexcept;

// The home folder of the plan's uid into run.home, where the passwd file has one.
long find_home(Run&, int passwd) noexcept;

size_t length(const char* text) noexcept;
bool equal(const char* a, const char* b, size_t n) noexcept;
void copy_text(char* to, size_t size, const char* from) noexcept;

}  // namespace hardrun::init
