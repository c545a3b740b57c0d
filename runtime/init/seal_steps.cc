// SPDX-License-Identifier: Apache-2.0
// What is taken away from the container: read-only and masked paths, the old root.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/stat.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr int kAtEmptyPath = 0x1000;
constexpr int kAtRecursive = 0x8000;
constexpr int kMntDetach = 2;
constexpr int kMaxOldRoots = 64;

long make_readonly(Kernel& k, int tree, unsigned flags) noexcept {
    mount_attr attr{};
    attr.attr_set = MOUNT_ATTR_RDONLY;
    return k(__NR_mount_setattr, tree, "", flags | kAtEmptyPath, &attr, sizeof attr);
}

long attach(Kernel& k, int tree, int target) noexcept {
    return k(__NR_move_mount, tree, "", target, "",
             MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

// The part of the root that `path` names, bound onto itself and read-only.
long bind_readonly(Run& run, int target) noexcept {
    const long tree = run.k(__NR_open_tree, target, "",
                            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | kAtEmptyPath | kAtRecursive);
    if (tree < 0)
        return tree;
    long r = make_readonly(run.k, static_cast<int>(tree), kAtRecursive);
    if (r >= 0)
        r = attach(run.k, static_cast<int>(tree), target);
    (void)run.k(__NR_close, tree);  // attached, or dissolved
    return r;
}

// Only an attached mount can be cloned from on kernels before 6.15. In the old root it is in
// nobody's way, and goes with it; on a folder of it rather than on "/", where it would have to be
// detached by itself: each umount2 waits for an RCU grace period.
long hide_in_old_root(Kernel& k, int mount) noexcept {
    const long r = k(__NR_move_mount, mount, "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH);
    return r != -ENOENT && r != -ENOTDIR
               ? r
               : k(__NR_move_mount, mount, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
}

// Masks come from an empty read-only tmpfs of our own, never from a file of the image: its
// /dev/null may be a link to something worth overwriting (CVE-2025-31133).
long make_mask(Run& run) noexcept {
    Kernel& k = run.k;
    const long context = k(__NR_fsopen, "tmpfs", FSOPEN_CLOEXEC);
    if (context < 0)
        return context;
    const char* const options[][2] = {{"size", "4k"}, {"nr_inodes", "4"}, {"mode", "0555"}};
    for (const auto& option : options)
        if (const long r = k(__NR_fsconfig, context, FSCONFIG_SET_STRING, option[0], option[1], 0);
            r < 0)
            return r;
    if (const long r = k(__NR_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0); r < 0)
        return r;
    const long fd = k(__NR_fsmount, context, FSMOUNT_CLOEXEC,
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (fd < 0)
        return fd;
    (void)k(__NR_close, context);  // nothing was written through it
    if (const long r = k(__NR_mkdirat, fd, "d", 0555); r < 0)
        return r;
    const long file = k(__NR_openat, fd, "f", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (file < 0)
        return file;
    (void)k(__NR_close, file);  // empty
    run.mask_fd = static_cast<int>(fd);
    if (const long r = make_readonly(k, run.mask_fd, 0); r < 0)
        return r;
    return hide_in_old_root(k, run.mask_fd);
}

long mask(Run& run, int target) noexcept {
    struct statx st {};
    if (const long r = run.k(__NR_statx, target, "", kAtEmptyPath, STATX_TYPE, &st); r < 0)
        return r;
    const char* const source = (st.stx_mode & S_IFMT) == S_IFDIR ? "d" : "f";
    const long tree =
        run.k(__NR_open_tree, run.mask_fd, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0)
        return tree;
    const long r = attach(run.k, static_cast<int>(tree), target);
    (void)run.k(__NR_close, tree);  // attached, or dissolved
    return r;
}

// The mount and inode that a path leads to, as proof of where the process stands.
long identity_of(Kernel& k, const char* path, RootIdentity& out) noexcept {
    const long fd = k(__NR_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    struct statx st {};
    const long r = k(__NR_statx, fd, "", kAtEmptyPath, STATX_INO | STATX_MNT_ID, &st);
    (void)k(__NR_close, fd);  // O_PATH
    out = {st.stx_mnt_id, st.stx_ino, st.stx_dev_major, st.stx_dev_minor};
    return r;
}

// The old root lies over the new one, and where the host stacks mounts on "/" there are several:
// all go, until what ".." leads to is the root that was asked for.
long detach_old_roots(Run& run) noexcept {
    for (int i = 0; i < kMaxOldRoots; ++i) {
        RootIdentity top;
        if (const long r = identity_of(run.k, "/..", top); r < 0)
            return r;
        RootIdentity root;
        if (const long r = identity_of(run.k, "/", root); r < 0)
            return r;
        if (top == root)
            return 0;
        const long fd = run.k(__NR_openat, AT_FDCWD, "/..", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
        if (fd < 0)
            return fd;
        if (const long r = run.k(__NR_fchdir, fd); r < 0)
            return r;
        (void)run.k(__NR_close, fd);  // O_PATH
        if (const long r = run.k(__NR_umount2, ".", kMntDetach); r < 0)
            return r;
        if (const long r = run.k(__NR_chdir, "/"); r < 0)
            return r;
    }
    return -ELOOP;
}

// For an initramfs, whose root cannot be pivoted away: the container's root is moved over it. What
// the host has on /proc and /sys goes first, or it could be reached below (runc does the same).
long enter_without_pivot(Run& run) noexcept {
    constexpr const char* kReachable[] = {"/proc", "/sys"};
    for (const char* const path : kReachable)
        if (const long r = run.k(__NR_umount2, path, kMntDetach);
            r < 0 && r != -EINVAL && r != -ENOENT)
            return r;
    if (const long r =
            run.k(__NR_move_mount, run.plan.root_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
        r < 0)
        return r;
    if (const long r = run.k(__NR_fchdir, run.plan.root_fd); r < 0)
        return r;
    return run.k(__NR_chroot, ".");
}

}  // namespace

long readonly_paths(Run& run) noexcept {
    for (const MountOp& op : run.plan.readonly_paths) {
        const long target = open_in_root(run.k, run.plan.root_fd, op.target, O_PATH, 0);
        if (target == -ENOENT) {
            ++run.index;
            continue;
        }
        const long r = target < 0 ? target : bind_readonly(run, static_cast<int>(target));
        if (r < 0)
            return r;
        (void)run.k(__NR_close, target);  // O_PATH
        ++run.index;
    }
    return 0;
}

long masked_paths(Run& run) noexcept {
    if (!run.plan.masked_paths.empty())
        if (const long r = make_mask(run); r < 0)
            return r;
    for (const char* const path : run.plan.masked_paths) {
        const long target = open_in_root(run.k, run.plan.root_fd, path, O_PATH, 0);
        if (target == -ENOENT || target == -ENOTDIR) {
            ++run.index;
            continue;
        }
        const long r = target < 0 ? target : mask(run, static_cast<int>(target));
        if (r < 0)
            return r;
        (void)run.k(__NR_close, target);  // O_PATH
        ++run.index;
    }
    return 0;
}

long pivot_root(Run& run) noexcept {
    if (const long r = run.k(__NR_fchdir, run.plan.root_fd); r < 0)
        return r;
    if (run.plan.no_pivot)
        return enter_without_pivot(run);
    if (const long r = run.k(__NR_pivot_root, ".", "."); r < 0)
        return r;
    if (const long r = run.k(__NR_chdir, "/"); r < 0)
        return r;
    return detach_old_roots(run);
}

long verify_root(Run& run) noexcept {
    if (const long r = identity_of(run.k, "/", run.root); r < 0)
        return r;
    if (run.plan.mode == Mode::exec)
        return run.root == run.plan.expected_root ? 0 : -EXDEV;
    struct statx st {};
    if (const long r =
            run.k(__NR_statx, run.plan.root_fd, "", kAtEmptyPath, STATX_INO | STATX_MNT_ID, &st);
        r < 0)
        return r;
    const RootIdentity wanted{st.stx_mnt_id, st.stx_ino, st.stx_dev_major, st.stx_dev_minor};
    return run.root == wanted ? 0 : -EXDEV;
}

}  // namespace hardrun::init
