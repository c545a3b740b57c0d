// SPDX-License-Identifier: Apache-2.0
#include "tests/support/full_plan.h"

#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace hardrun::test {
namespace {

using namespace hardrun::init;

template <class T, size_t N>
Slice<T> all(const T (&items)[N]) {
    return {items, N};
}

constexpr Join kJoins[] = {{20, CLONE_NEWUSER}, {21, CLONE_NEWIPC}};
constexpr KeyValue kTmpfsConfig[] = {{"size", "64k"}, {"noswap", nullptr}};
constexpr uint64_t kPrivate[] = {MS_PRIVATE};
constexpr MountOp kMounts[] = {
    {.fstype = "proc", .target = "proc", .plain_target = true},
    {.fstype = "tmpfs",
     .config = {kTmpfsConfig, 2},
     .target = "run",
     .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
     .propagation = {kPrivate, 1},
     .late_readonly = true,
     .copy_up = true,
     .keep_mode = true},
    {.tree_fd = 22, .target = "data/file", .attr_set = MOUNT_ATTR_NODEV, .make = Target::file},
    {.fstype = "sysfs", .target = "sys", .plain_target = true, .in_cell = true},
};
constexpr StagedTree kStaged[] = {{5, "0"}, {22, "1"}, {23, "2"}};
constexpr DeviceOp kDevices[] = {
    {.path = "dev/null", .mode = S_IFCHR | 0666, .major = 1, .minor = 3},
    {.path = "dev/zero", .mode = S_IFCHR | 0666, .major = 1, .minor = 5, .bind_fd = 23},
};
constexpr LinkOp kLinks[] = {{"dev/ptmx", "pts/ptmx"}, {"dev/fd", "/proc/self/fd"}};
constexpr SysctlOp kSysctls[] = {{"kernel/msgmax", "65536", false},
                                 {"net/ipv4/ip_forward", "1", true}};
constexpr RlimitOp kRlimits[] = {{7, 1024, 4096}};
constexpr MountOp kReadonlyPaths[] = {{.target = "proc/sys", .bind_self = true}};
constexpr const char* kMaskedPaths[] = {"proc/kcore", "sys/firmware"};
constexpr uint32_t kGroups[] = {5, 6};
constexpr uint64_t kFilter[] = {0x7fff000000000006};  // ret ALLOW
constexpr const char* kCandidates[] = {"/bin/sh"};
constexpr const char* kArgv[] = {"sh", nullptr};

constexpr uint64_t kCaps = uint64_t{1} << CAP_CHOWN | uint64_t{1} << CAP_KILL;

}  // namespace

FullPlan::FullPlan() {
    plan.sync_fd = 3;
    plan.gate_fd = 4;
    plan.root_fd = 5;
    plan.preserve_fds = 2;
    plan.joins = all(kJoins);
    plan.unshare_flags = CLONE_NEWNS | CLONE_NEWUTS;
    plan.new_cgroup_ns = plan.fork_early = plan.raise_loopback = plan.cell = true;
    plan.run_hooks = plan.new_keyring = plan.readonly_root = true;
    plan.fork_flags = CLONE_NEWPID;
    plan.keyring_name = "_ses.c1";
    plan.root_path = "/bundle/rootfs";
    plan.host_propagation = MS_SLAVE | MS_REC;
    plan.root_propagation = MS_PRIVATE;
    plan.staged = all(kStaged);
    plan.mounts = all(kMounts);
    plan.devices = all(kDevices);
    plan.links = all(kLinks);
    plan.sysctls = all(kSysctls);
    plan.readonly_paths = all(kReadonlyPaths);
    plan.masked_paths = all(kMaskedPaths);
    plan.hostname = "c1";
    plan.domainname = "d1";
    plan.terminal = plan.console_node = true;
    plan.console_rows = 24;
    plan.rlimits = all(kRlimits);
    plan.identity = {.uid = 1000,
                     .gid = 1001,
                     .groups = all(kGroups),
                     .set_capabilities = true,
                     .bounding = kCaps,
                     .effective = kCaps,
                     .permitted = kCaps,
                     .inheritable = kCaps,
                     .ambient = kCaps,
                     .no_new_privs = true};
    plan.program = {.candidates = all(kCandidates),
                    .argv = kArgv,
                    .envp = envp_,
                    .home_slot = 1,
                    .cwd = "/work"};
    plan.apparmor_exec = "exec hardrun";
    plan.selinux_exec = "label";
    plan.seccomp = all(kFilter);
}

void FullPlan::make_exec() {
    plan.mode = Mode::exec;
    plan.gate_fd = -1;
    plan.fork_early = plan.console_node = plan.cell = false;
    plan.fork_late = true;
    plan.expected_root = {0, 2, 0, 0};
}

void FullPlan::make_hook() {
    make_exec();
    plan.mode = Mode::hook;
}

}  // namespace hardrun::test
