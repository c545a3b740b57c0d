// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/cgroup_mounts.h"

#include <linux/mount.h>
#include <sys/mount.h>

#include <set>
#include <string_view>

namespace hardrun::launch {
namespace {

// "/sys/fs/cgroup/cpu,cpuacct/docker/x" -> "cpu,cpuacct": the name that the host mounted it under.
std::string hierarchy_of(const std::string& folder) {
    constexpr std::string_view kBase = "/sys/fs/cgroup/";
    if (!folder.starts_with(kBase))
        return {};
    return folder.substr(kBase.size(), folder.find('/', kBase.size()) - kBase.size());
}

plan::Mount bind_of(const plan::Mount& mount, const std::string& source,
                    const std::string& target) {
    plan::Mount out = mount;
    out.kind = plan::MountKind::bind;
    out.source = source;
    out.target = target;
    out.options.fs_options.clear();
    out.options.copy_up = false;
    if (out.options.propagation.empty())
        out.options.propagation.push_back(MS_SLAVE);
    return out;
}

CgroupMounts unified(const plan::Mount& mount, const std::string& folder, CgroupView view) {
    if (view == CgroupView::host)
        return {{bind_of(mount, folder, mount.target)}, {}};
    plan::Mount out = mount;
    out.kind = plan::MountKind::filesystem;
    out.fstype = "cgroup2";
    out.fs_options = {{"source", "cgroup"}};
    return {{out}, {}};
}

plan::Mount frame(const plan::Mount& mount) {
    plan::Mount out = mount;
    out.kind = plan::MountKind::filesystem;
    out.fstype = "tmpfs";
    out.fs_options = {{"source", "cgroup"}, {"mode", "755"}};
    out.options.attr_set |= MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
    out.late_readonly = (out.options.attr_set & MOUNT_ATTR_RDONLY) != 0;
    return out;
}

}  // namespace

CgroupMounts expand_cgroup_mount(const plan::Mount& mount, const cgroup::Location& groups,
                                 CgroupView view) {
    if (groups.folders.size() == 1 && groups.folders.contains(""))
        return unified(mount, groups.folders.at(""), view);
    CgroupMounts out{{frame(mount)}, {}};
    std::set<std::string> seen;
    for (const auto& [controller, folder] : groups.folders) {
        const std::string hierarchy = hierarchy_of(folder);
        if (controller.empty() || hierarchy.empty())
            continue;
        if (seen.insert(hierarchy).second)
            out.mounts.push_back(bind_of(mount, folder, mount.target + "/" + hierarchy));
        const bool shared = hierarchy.find(',') != std::string::npos;
        if (shared && controller != hierarchy)
            out.links.emplace_back(mount.target + "/" + controller, hierarchy);
    }
    return out;
}

}  // namespace hardrun::launch
