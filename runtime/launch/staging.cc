// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/staging.h"

#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/base/log.h"

namespace hardrun::launch {
namespace {

struct Staged {
    FdRef tree;
    uint64_t set = 0;
    uint64_t clear = 0;
    uint64_t rec_set = 0;
    uint64_t rec_clear = 0;
};

Status set_attributes(FdRef tree, uint64_t set, uint64_t clear, unsigned flags) {
    if (set == 0 && clear == 0)
        return {};
    mount_attr attr{};
    attr.attr_set = set;
    attr.attr_clr = clear;
    if (::syscall(SYS_mount_setattr, tree.get(), "", flags | AT_EMPTY_PATH, &attr, sizeof attr) !=
        0)
        return Error::sys("mount_setattr of a source");
    return {};
}

// What config.json forbids is locked as well. What it allows is left to init, so that the kernel
// decides whether it may: it does not undo what the host has set.
Status dress(const Staged& staged) {
    HARDRUN_CHECK(set_attributes(staged.tree, staged.set, staged.clear & MOUNT_ATTR__ATIME, 0));
    return set_attributes(staged.tree, staged.rec_set, staged.rec_clear & MOUNT_ATTR__ATIME,
                          AT_RECURSIVE);
}

std::vector<Staged> all(const Sources& sources) {
    std::vector<Staged> out = {{.tree = sources.root}};
    for (const OpenedMount& m : sources.mounts)
        if (m.tree.valid())
            out.push_back({.tree = m.tree,
                           .set = m.mount.options.attr_set,
                           .clear = m.mount.options.attr_clear,
                           .rec_set = m.mount.options.rec_set,
                           .rec_clear = m.mount.options.rec_clear});
    for (const OpenedDevice& d : sources.devices)
        if (d.tree.valid())
            out.push_back({.tree = d.tree});
    return out;
}

// Mounts made from here on are seen nowhere else.
Status leave_the_hosts_mounts() {
    if (::unshare(CLONE_NEWNS) != 0)
        return Error::sys("unshare of a mount namespace");
    mount_attr attr{};
    attr.propagation = MS_SLAVE;
    if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof attr) != 0)
        return Error::sys("mount_setattr /");
    return {};
}

Status attach(FdRef tree, FdRef target) {
    if (::syscall(SYS_move_mount, tree.get(), "", target.get(), "",
                  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
        return Error::sys("move_mount of a source");
    return {};
}

Result<Fd> make_folder(const std::string& place) {
    const Fd context(static_cast<int>(::syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC)));
    if (!context.valid() ||
        ::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, "mode", "0755", 0) != 0 ||
        ::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
        return Error::sys("tmpfs for the sources");
    Fd folder(
        static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC,
                                   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)));
    if (!folder.valid())
        return Error::sys("fsmount");
    HARDRUN_TRY(const Fd target, open_at(FdRef::cwd(), place, O_PATH | O_DIRECTORY));
    HARDRUN_CHECK(attach(folder, target));
    return folder;
}

// `name` in the folder, as what the tree's own root is: a folder or a file.
Status put(FdRef folder, const std::string& name, FdRef tree) {
    struct stat st {};
    if (::fstat(tree.get(), &st) != 0)
        return Error::sys("fstat of a source");
    if (S_ISDIR(st.st_mode) && ::mkdirat(folder.get(), name.c_str(), 0700) != 0)
        return Error::sys("mkdir for a source");
    const int kind = S_ISDIR(st.st_mode) ? O_DIRECTORY : 0;
    if (kind == 0 && ::mknodat(folder.get(), name.c_str(), S_IFREG | 0600, 0) != 0)
        return Error::sys("mknod for a source");
    HARDRUN_TRY(const Fd target, open_at(folder, name, O_PATH | O_NOFOLLOW | kind));
    return attach(tree, target);
}

}  // namespace

Status Staging::enter(const std::string& place, const Sources& sources, Arena& arena) {
    HARDRUN_TRY(root_, open_at(FdRef::cwd(), "/", O_PATH | O_DIRECTORY));
    HARDRUN_TRY(cwd_, open_at(FdRef::cwd(), ".", O_PATH | O_DIRECTORY));
    HARDRUN_TRY(mount_namespace_, open_at(FdRef::cwd(), "/proc/self/ns/mnt", O_RDONLY));
    HARDRUN_CHECK(leave_the_hosts_mounts());
    HARDRUN_TRY(const Fd folder, make_folder(place));
    const std::vector<Staged> staged = all(sources);
    auto out = arena.array<init::StagedTree>(staged.size());
    for (size_t i = 0; i < staged.size(); ++i) {
        const std::string name = std::to_string(i);
        HARDRUN_CHECK(dress(staged[i]));
        HARDRUN_CHECK(put(folder, name, staged[i].tree));
        out[i] = {staged[i].tree.get(), arena.text(name)};
    }
    arena.plan().staged = {out.data(), out.size()};
    arena.plan().root_path = arena.text(".");
    if (::fchdir(folder.get()) != 0)
        return Error::sys("fchdir to the sources");
    return {};
}

Status Staging::leave() {
    if (!mount_namespace_.valid())
        return {};
    if (::setns(mount_namespace_.get(), CLONE_NEWNS) != 0 || ::fchdir(root_.get()) != 0 ||
        ::chroot(".") != 0 || ::fchdir(cwd_.get()) != 0)
        return Error::sys("back from the mount namespace of the sources");
    mount_namespace_.reset();
    return {};
}

// Going on in the wrong namespace would undo and report in the wrong place.
Staging::~Staging() {
    if (const Status left = leave(); !left) {
        log::fatal(left.error().what());
        std::abort();
    }
}

}  // namespace hardrun::launch
