// SPDX-License-Identifier: Apache-2.0
// The container's mounts: made detached, attached by descriptor to a target that was opened below
// the root.
#include <asm/errno.h>
#include <asm/statfs.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/stat.h>

#include "runtime/init/run.h"

namespace hardrun::init {

long copy_up(Run&, int from, int to) noexcept;  // copy_up.cc

namespace {

constexpr int kAtEmptyPath = 0x1000;
constexpr int kAtRecursive = 0x8000;

// The file system's own sentence on what it disliked, which the kernel keeps in the context.
void keep_words(Run& run, long context) noexcept {
    const long n = run.k(__NR_read, context, run.detail, sizeof run.detail - 1);
    run.detail[n > 0 ? n : 0] = '\0';
    for (long i = 0; i < n; ++i)
        if (run.detail[i] == '\n')
            run.detail[i] = '\0';
}

bool is_key(const KeyValue& pair, const char* key) noexcept {
    return length(pair.key) == length(key) && equal(pair.key, key, length(key));
}

bool has_key(const MountOp& op, const char* key) noexcept {
    for (const KeyValue& pair : op.config)
        if (is_key(pair, key))
            return true;
    return false;
}

long configure(Run& run, long context, const MountOp& op) noexcept {
    for (const KeyValue& pair : op.config) {
        const unsigned command = pair.value == nullptr ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
        const long r = run.k(__NR_fsconfig, context, command, pair.key, pair.value, 0);
        if (r < 0) {
            keep_words(run, context);
            if (run.detail[0] == '\0')
                copy_text(run.detail, sizeof run.detail, pair.key);
            return r;
        }
    }
    return 0;
}

// A tmpfs without mode= takes the mode of what it covers (C21); 1777 where nothing is there.
void octal(uint32_t mode, char (&text)[8]) noexcept {
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do {
        text[--at] = static_cast<char>('0' + (mode & 7));
        mode >>= 3;
    } while (mode != 0 && at > 0);
    for (size_t i = 0; at + i < sizeof text; ++i)
        text[i] = text[at + i];
}

long make_filesystem(Run& run, const MountOp& op, uint32_t target_mode) noexcept {
    const long context = run.k(__NR_fsopen, op.fstype, FSOPEN_CLOEXEC);
    if (context < 0) {
        copy_text(run.detail, sizeof run.detail, op.fstype);
        return context;
    }
    long r = configure(run, context, op);
    if (r >= 0 && op.keep_mode && !has_key(op, "mode")) {
        char text[8];
        octal(target_mode, text);
        r = run.k(__NR_fsconfig, context, FSCONFIG_SET_STRING, "mode", text, 0);
    }
    if (r >= 0)
        r = run.k(__NR_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0);
    if (r < 0) {
        if (run.detail[0] == '\0')
            keep_words(run, context);
        return r;
    }
    const uint64_t attributes =
        op.late_readonly ? op.attr_set & ~uint64_t{MOUNT_ATTR_RDONLY} : op.attr_set;
    const long tree = run.k(__NR_fsmount, context, FSMOUNT_CLOEXEC, attributes);
    (void)run.k(__NR_close, context);  // nothing was written through it
    return tree;
}

long set_attributes(Kernel& k, int fd, const mount_attr& attr, unsigned flags) noexcept {
    if (attr.attr_set == 0 && attr.attr_clr == 0 && attr.propagation == 0)
        return 0;
    return k(__NR_mount_setattr, fd, "", flags | kAtEmptyPath, &attr, sizeof attr);
}

long dress(Run& run, int tree, const MountOp& op) noexcept {
    mount_attr own{};
    if (op.tree_fd >= 0 || op.bind_self) {
        own.attr_set = op.attr_set;
        own.attr_clr = op.attr_clear;
    }
    // The kernel takes both in one call where both are for this mount alone.
    const uint64_t* type = op.propagation.begin();
    if (type != op.propagation.end() && (*type & MS_REC) == 0)
        own.propagation = *type++;
    if (const long r = set_attributes(run.k, tree, own, 0); r < 0)
        return r;
    const mount_attr below{.attr_set = op.rec_set, .attr_clr = op.rec_clear};
    if (const long r = set_attributes(run.k, tree, below, kAtRecursive); r < 0)
        return r;
    for (; type != op.propagation.end(); ++type)
        if (const long r = set_propagation(run.k, tree, "", *type); r < 0)
            return r;
    return 0;
}

// Only what the parent allowed by name may cover a part of procfs: anything else could lie about a
// process's own attributes (CVE-2019-16884).
long check_target(Run& run, int target, const MountOp& op) noexcept {
    if (op.below_proc)
        return 0;
    struct statfs fs {};
    if (const long r = run.k(__NR_fstatfs, target, &fs); r < 0)
        return r;
    if (fs.f_type != PROC_SUPER_MAGIC)
        return 0;
    copy_text(run.detail, sizeof run.detail, "the target lies on procfs");
    return -EPERM;
}

long open_target(Run& run, const MountOp& op) noexcept {
    if (!op.plain_target)
        return open_or_make(run.k, run.plan.root_fd, op.target, op.make);
    const long fd =
        open_in_root(run.k, run.plan.root_fd, op.target, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
    if (fd != -ENOENT)
        return fd;
    if (const long made = run.k(__NR_mkdirat, run.plan.root_fd, op.target, 0755);
        made < 0 && made != -EEXIST)
        return made;
    return open_in_root(run.k, run.plan.root_fd, op.target, O_PATH | O_DIRECTORY,
                        RESOLVE_NO_SYMLINKS);
}

long target_mode(Run& run, int target, uint32_t& mode) noexcept {
    struct statx st {};
    const long r = run.k(__NR_statx, target, "", kAtEmptyPath, STATX_MODE, &st);
    mode = st.stx_mode & 07777;
    return r;
}

// The tree to attach: the parent's, or one made here, where necessary in the cell.
long source_tree(Run& run, const MountOp& op, uint32_t mode) noexcept {
    if (op.tree_fd >= 0)
        return op.tree_fd;
    if (!op.in_cell || run.cell_fd < 0)
        return make_filesystem(run, op, mode);
    const long uplink =
        run.k(__NR_openat, run.proc_fd, "thread-self/ns/net", O_RDONLY | O_CLOEXEC, 0);
    if (uplink < 0)
        return uplink;
    long tree = run.k(__NR_setns, run.cell_fd, CLONE_NEWNET);
    if (tree >= 0)
        tree = make_filesystem(run, op, mode);
    const long back = run.k(__NR_setns, uplink, CLONE_NEWNET);
    (void)run.k(__NR_close, uplink);  // read-only, nothing to lose
    return back < 0 ? back : tree;
}

long attach(Run& run, int tree, int target) noexcept {
    return run.k(__NR_move_mount, tree, "", target, "",
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

// Whether the target was made by us decides the default mode of a tmpfs (C21: 1777).
long mount_one(Run& run, const MountOp& op) noexcept {
    const bool was_there = [&] {
        const long fd =
            op.keep_mode ? open_in_root(run.k, run.plan.root_fd, op.target, O_PATH, 0) : -ENOENT;
        if (fd >= 0)
            (void)run.k(__NR_close, fd);
        return fd >= 0;
    }();
    const long target = open_target(run, op);
    if (target < 0)
        return target;
    if (const long r = check_target(run, static_cast<int>(target), op); r < 0)
        return r;
    uint32_t mode = 01777;
    if (was_there)
        if (const long r = target_mode(run, static_cast<int>(target), mode); r < 0)
            return r;
    const long tree = source_tree(run, op, mode);
    if (tree < 0)
        return tree;
    const int fd = static_cast<int>(tree);
    if (op.copy_up)
        if (const long r = copy_up(run, static_cast<int>(target), fd); r < 0)
            return r;
    if (const long r = dress(run, fd, op); r < 0)
        return r;
    if (const long r = attach(run, fd, static_cast<int>(target)); r < 0)
        return r;
    (void)run.k(__NR_close, target);  // O_PATH
    if (!op.late_readonly)
        return run.k(__NR_close, fd);
    if (run.late_count == sizeof run.late_readonly / sizeof run.late_readonly[0])
        return -EMFILE;
    run.late_readonly[run.late_count++] = fd;
    return 0;
}

}  // namespace

long set_propagation(Kernel& k, int fd, const char* path, uint64_t ms_flags) noexcept {
    mount_attr attr{};
    attr.propagation = ms_flags & ~uint64_t{MS_REC};
    const unsigned flags = ((ms_flags & MS_REC) != 0 ? kAtRecursive : 0) | kAtEmptyPath;
    return k(__NR_mount_setattr, fd, path, flags, &attr, sizeof attr);
}

long mount_namespace(Run& run) noexcept {
    return run.plan.host_propagation == 0
               ? 0
               : set_propagation(run.k, AT_FDCWD, "/", run.plan.host_propagation);
}

// Cloned from our own copy, where the kernel has locked what the host forbids.
long staged(Run& run) noexcept {
    for (const StagedTree& source : run.plan.staged) {
        const long tree = run.k(__NR_open_tree, AT_FDCWD, source.name,
                                OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | kAtRecursive);
        if (tree < 0)
            return tree;
        if (const long r = run.k(__NR_dup3, tree, source.fd, O_CLOEXEC); r < 0)
            return r;
        (void)run.k(__NR_close, tree);  // its duplicate stays
        ++run.index;
    }
    return 0;
}

// A procfs of our own, attached nowhere: nothing in the image or in a volume can stand in its
// place.
long private_proc(Run& run) noexcept {
    const bool labelled = run.plan.apparmor_exec != nullptr || run.plan.selinux_exec != nullptr;
    if (!labelled && !run.plan.cell && run.plan.sysctls.empty())
        return 0;
    const long context = run.k(__NR_fsopen, "proc", FSOPEN_CLOEXEC);
    if (context < 0)
        return context;
    if (const long r = run.k(__NR_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0);
        r < 0)
        return r;
    const long fd = run.k(__NR_fsmount, context, FSMOUNT_CLOEXEC,
                          MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (fd < 0)
        return fd;
    run.proc_fd = static_cast<int>(fd);
    return run.k(__NR_close, context);
}

long attach_root(Run& run) noexcept {
    const int root = run.plan.root_fd;
    if (const long r = set_propagation(run.k, root, "", run.plan.host_propagation | MS_REC); r < 0)
        return r;
    if (const long r = run.k(__NR_move_mount, root, "", AT_FDCWD, run.plan.root_path,
                             MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS);
        r < 0)
        return r;
    return run.k(__NR_fchdir, root);
}

long seal_root(Run& run) noexcept {
    const mount_attr readonly{.attr_set = MOUNT_ATTR_RDONLY};
    for (size_t i = 0; i < run.late_count; ++i) {
        if (const long r = set_attributes(run.k, run.late_readonly[i], readonly, 0); r < 0)
            return r;
        (void)run.k(__NR_close, run.late_readonly[i]);  // a mount's descriptor holds no data
    }
    if (run.plan.readonly_root)
        if (const long r = set_attributes(run.k, run.plan.root_fd, readonly, 0); r < 0)
            return r;
    if (run.plan.root_propagation == 0)
        return 0;
    return set_propagation(run.k, run.plan.root_fd, "", run.plan.root_propagation);
}

long mounts(Run& run) noexcept {
    for (const MountOp& op : run.plan.mounts) {
        if (const long r = mount_one(run, op); r < 0)
            return r;
        ++run.index;
    }
    return 0;
}

}  // namespace hardrun::init
