// SPDX-License-Identifier: Apache-2.0
// Device nodes and the links of /dev. All names are resolved below the root: an image whose /dev is
// a symlink to the host's gets its nodes inside, or an error (CVE-2026-41579).
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/stat.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr int kAtEmptyPath = 0x1000;
constexpr int kAtSymlinkNofollow = 0x100;

unsigned long device_number(uint32_t major, uint32_t minor) noexcept {
    return (minor & 0xffU) | ((major & 0xfffU) << 8U) |
           (static_cast<unsigned long>(minor & ~0xffU) << 12U);
}

// What stands there already must be exactly the device that was asked for (config-linux.md,
// "Devices").
long check_node(Kernel& k, int node, const DeviceOp& op) noexcept {
    struct statx st {};
    if (const long r = k(__NR_statx, node, "", kAtEmptyPath, STATX_BASIC_STATS, &st); r < 0)
        return r;
    if ((st.stx_mode & S_IFMT) != (op.mode & S_IFMT))
        return -EEXIST;
    if ((op.mode & S_IFMT) == S_IFIFO)
        return 0;
    return st.stx_rdev_major == op.major && st.stx_rdev_minor == op.minor ? 0 : -EEXIST;
}

// fchmodat2(2) of Linux 6.6 works on an O_PATH descriptor; before it, only a name does. Then the
// mode comes from mknod alone where nothing stood there (umask is 0), which is the common case.
long set_mode(Kernel& k, int node, uint32_t mode) noexcept {
    constexpr long kFchmodat2 = 452;
    const long r = k(kFchmodat2, node, "", mode, kAtEmptyPath);
    return r == -ENOSYS ? 0 : r;
}

// Mostly mknod alone has made what was asked for.
bool is_as_wanted(Kernel& k, int folder, const char* name, const DeviceOp& op) noexcept {
    struct statx st {};
    return k(__NR_statx, folder, name, kAtSymlinkNofollow, STATX_BASIC_STATS, &st) >= 0 &&
           st.stx_mode == op.mode && st.stx_uid == op.uid && st.stx_gid == op.gid &&
           ((op.mode & S_IFMT) == S_IFIFO ||
            (st.stx_rdev_major == op.major && st.stx_rdev_minor == op.minor));
}

long make_node(Kernel& k, int folder, const char* name, const DeviceOp& op) noexcept {
    const unsigned long number = device_number(op.major, op.minor);
    long r = k(__NR_mknodat, folder, name, op.mode, number);
    if (r < 0 && r != -EEXIST)
        return r;
    if (is_as_wanted(k, folder, name, op))
        return 0;
    // By the node itself, not by its name: another container that shares the folder may put a link
    // there.
    const long node = k(__NR_openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
    if (node < 0)
        return node;
    r = check_node(k, static_cast<int>(node), op);
    if (r >= 0)
        r = k(__NR_fchownat, node, "", op.uid, op.gid, kAtEmptyPath);
    if (r >= 0)
        r = set_mode(k, static_cast<int>(node), op.mode & 07777);
    (void)k(__NR_close, node);  // O_PATH
    return r;
}

// A user namespace may not make nodes: the host's own is bound over an empty file.
long bind_node(Run& run, const DeviceOp& op) noexcept {
    const long target = open_or_make(run.k, run.plan.root_fd, op.path, Target::file);
    if (target < 0)
        return target;
    const long r = run.k(__NR_move_mount, op.bind_fd, "", target, "",
                         MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
    (void)run.k(__NR_close, target);  // O_PATH
    return r;
}

// The folder of the name before is mostly that of the next one too.
class Folders {
  public:
    explicit Folders(Run& run) : run_(run) {}
    Folders(const Folders&) = delete;
    Folders& operator=(const Folders&) = delete;
    ~Folders() { close(); }

    // Opened, made when missing; `name` is the last component.
    long of(const char* path, const char** name) noexcept {
        size_t slash = length(path);
        while (slash > 0 && path[slash - 1] != '/')
            --slash;
        *name = path + slash;
        if (fd_ >= 0 && slash == size_ && equal(path, path_, slash))
            return fd_;
        close();
        fd_ = open_parent(run_.k, run_.plan.root_fd, path, name);
        path_ = path;
        size_ = slash;
        return fd_;
    }

  private:
    void close() noexcept {
        if (fd_ >= 0)
            (void)run_.k(__NR_close, fd_);  // O_PATH
        fd_ = -1;
    }

    Run& run_;
    const char* path_ = nullptr;
    size_t size_ = 0;
    long fd_ = -1;
};

long make_device(Run& run, Folders& folders, const DeviceOp& op) noexcept {
    if (op.bind_fd >= 0)
        return bind_node(run, op);
    const char* name = nullptr;
    const long folder = folders.of(op.path, &name);
    return folder < 0 ? folder : make_node(run.k, static_cast<int>(folder), name, op);
}

long make_link(Run& run, Folders& folders, const LinkOp& op) noexcept {
    const char* name = nullptr;
    const long folder = folders.of(op.path, &name);
    if (folder < 0)
        return folder;
    if (equal(name, "ptmx", 5))
        (void)run.k(__NR_unlinkat, folder, name, 0);  // mostly not there
    const long r = run.k(__NR_symlinkat, op.target, folder, name);
    return r == -EEXIST ? 0 : r;
}

}  // namespace

long devices(Run& run) noexcept {
    Folders folders(run);
    for (const DeviceOp& op : run.plan.devices) {
        if (const long r = make_device(run, folders, op); r < 0)
            return r;
        ++run.index;
    }
    return 0;
}

// The links of /dev. What the image has under such a name stays, except for ptmx: a node of the
// image's would belong to the host's devpts.
long links(Run& run) noexcept {
    Folders folders(run);
    for (const LinkOp& op : run.plan.links) {
        if (const long r = make_link(run, folders, op); r < 0)
            return r;
        ++run.index;
    }
    return 0;
}

}  // namespace hardrun::init
