// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/sources.h"

#include <linux/mount.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "runtime/launch/cgroup_mounts.h"

namespace hardrun::launch {
namespace {

Result<struct stat> status_of(FdRef fd, const std::string& name) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return Error::sys("fstat " + name);
    return st;
}

Result<Fd> open_root(const std::string& rootfs, FdRef bundle) {
    HARDRUN_TRY(Fd root, clone_tree(bundle, rootfs, Depth::recursive).context("root.path"));
    HARDRUN_TRY(const struct stat st, status_of(root, rootfs));
    if (!S_ISDIR(st.st_mode))
        return Error(Errc::bad_config, "root.path: expected a directory, got \"" + rootfs + "\"");
    return root;
}

// What the host forbids on a mount, a user namespace may not allow again (C25).
Status check_locked(const plan::Mount& mount, FdRef tree) {
    struct statvfs fs {};
    if (::fstatvfs(tree.get(), &fs) != 0)
        return Error::sys("fstatvfs " + mount.source);
    struct Flag {
        unsigned long set;
        uint64_t attribute;
        const char* option;
    };
    constexpr Flag kFlags[] = {{ST_RDONLY, MOUNT_ATTR_RDONLY, "rw"},
                               {ST_NOSUID, MOUNT_ATTR_NOSUID, "suid"},
                               {ST_NODEV, MOUNT_ATTR_NODEV, "dev"},
                               {ST_NOEXEC, MOUNT_ATTR_NOEXEC, "exec"}};
    const uint64_t cleared = mount.options.attr_clear | mount.options.rec_clear;
    for (const Flag& flag : kFlags)
        if ((fs.f_flag & flag.set) != 0 && (cleared & flag.attribute) != 0)
            return Error(Errc::bad_config, mount.json_path + ".options: \"" + flag.option +
                                               "\" is locked: " + mount.source +
                                               " is mounted without it on the host, and the "
                                               "container has a user namespace");
    return {};
}

// The rules judged the object that the path led to then: it must be the one that is mounted now.
Status check_judged(const plan::Mount& mount, const config::BundleFacts& facts,
                    const struct stat& st) {
    const auto judged = facts.sources.find(mount.json_path);
    if (judged == facts.sources.end() ||
        (judged->second.device == st.st_dev && judged->second.inode == st.st_ino))
        return {};
    return Error(Errc::policy_denied, mount.json_path + ".source: " + mount.source +
                                          " was replaced while it was being judged; try again");
}

Result<OpenedMount> open_mount(const plan::Mount& mount, FdRef bundle,
                               const config::BundleFacts& facts) {
    OpenedMount out{.mount = mount, .tree = Fd()};
    if (mount.kind != plan::MountKind::bind)
        return out;
    const Depth depth = mount.options.bind_recursive ? Depth::recursive : Depth::one;
    HARDRUN_TRY(out.tree,
                clone_tree(bundle, mount.source, depth).context(mount.json_path + ".source"));
    HARDRUN_TRY(const struct stat st, status_of(out.tree, mount.source));
    HARDRUN_CHECK(check_judged(mount, facts, st));
    out.file = !S_ISDIR(st.st_mode);
    return out;
}

// A part of a cgroup mount: a group, which is a directory.
Result<OpenedMount> open_group_mount(const plan::Mount& mount, FdRef bundle) {
    OpenedMount out{.mount = mount, .tree = Fd()};
    if (mount.kind == plan::MountKind::bind) {
        HARDRUN_TRY(out.tree,
                    clone_tree(bundle, mount.source, Depth::one).context(mount.json_path));
    }
    return out;
}

bool has_user_namespace(const plan::Plan& plan) {
    const auto& joined = plan.namespaces.joined;
    return (plan.namespaces.created & CLONE_NEWUSER) != 0 ||
           std::ranges::any_of(joined, [](const auto& join) { return join.type == CLONE_NEWUSER; });
}

struct Opening {
    const config::BundleFacts& facts;
    FdRef bundle;
    const cgroup::Location& groups;
    bool user_namespace;
    CgroupView view;
};

Status add_mount(const Opening& opening, const plan::Mount& mount, Sources& out) {
    HARDRUN_TRY(OpenedMount opened, open_mount(mount, opening.bundle, opening.facts));
    if (opening.user_namespace && opened.tree.valid())
        HARDRUN_CHECK(check_locked(mount, opened.tree));
    out.mounts.push_back(std::move(opened));
    return {};
}

Status add_cgroup(const Opening& opening, const plan::Mount& mount, Sources& out) {
    CgroupMounts expanded = expand_cgroup_mount(mount, opening.groups, opening.view);
    for (const plan::Mount& part : expanded.mounts) {
        HARDRUN_TRY(OpenedMount opened, open_group_mount(part, opening.bundle));
        out.mounts.push_back(std::move(opened));
    }
    out.links.insert(out.links.end(), expanded.links.begin(), expanded.links.end());
    return {};
}

Result<OpenedDevice> open_device(const plan::Device& device) {
    OpenedDevice out{.device = device, .tree = Fd()};
    if (!device.bind)
        return out;
    const std::string path = "/" + device.path;
    HARDRUN_TRY(out.tree, clone_tree(FdRef::cwd(), path, Depth::one).context(device.json_path));
    HARDRUN_TRY(const struct stat st, status_of(out.tree, path));
    if ((st.st_mode & S_IFMT) != (device.mode & S_IFMT) || major(st.st_rdev) != device.major ||
        minor(st.st_rdev) != device.minor)
        return Error(Errc::bad_config,
                     device.json_path + ": " + path + " on the host is not the device " +
                         std::to_string(device.major) + ":" + std::to_string(device.minor));
    return out;
}

}  // namespace

Result<Fd> clone_tree(FdRef dir, const std::string& path, Depth depth) {
    const unsigned flags =
        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (depth == Depth::recursive ? AT_RECURSIVE : 0U);
    Fd tree(static_cast<int>(::syscall(SYS_open_tree, dir.get(), path.c_str(), flags)));
    if (!tree.valid())
        return Error::sys("open_tree " + path);
    return tree;
}

Result<Sources> open_sources(const plan::Plan& plan, const std::string& rootfs, FdRef bundle,
                             const cgroup::Location& groups, const config::BundleFacts& facts) {
    Sources out;
    out.links = plan.links;
    out.user_namespace = has_user_namespace(plan);
    HARDRUN_TRY(out.root, open_root(rootfs, bundle));
    const Opening opening{
        facts, bundle, groups, out.user_namespace,
        (plan.namespaces.created & CLONE_NEWCGROUP) != 0 ? CgroupView::own : CgroupView::host};
    for (const plan::Mount& mount : plan.mounts)
        HARDRUN_CHECK(mount.kind == plan::MountKind::cgroup ? add_cgroup(opening, mount, out)
                                                            : add_mount(opening, mount, out));
    for (const plan::Device& device : plan.devices) {
        HARDRUN_TRY(OpenedDevice opened, open_device(device));
        out.devices.push_back(std::move(opened));
    }
    return out;
}

}  // namespace hardrun::launch
