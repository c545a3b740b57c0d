// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/unit_name.h"

#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

Error mismatch(const std::string& path) {
    return Error(Errc::bad_config,
                 "cgroup driver mismatch: --systemd-cgroup was given, so linux.cgroupsPath must be "
                 "slice:prefix:name, but it is '" +
                     path +
                     "', the form of the cgroupfs driver; set the engine to the systemd driver "
                     "(docker: native.cgroupdriver=systemd, containerd: SystemdCgroup = true, "
                     "kubelet: cgroupDriver: systemd), or leave --systemd-cgroup out");
}

Error bad_slice(const std::string& slice) {
    return Error(Errc::bad_config,
                 "linux.cgroupsPath: slice '" + slice + "' is no name of a slice, like a-b.slice");
}

// systemd is in "/init.scope" of the group that it manages.
std::string manager_group(const std::string& init) {
    constexpr std::string_view kScope = "/init.scope";
    return init.ends_with(kScope) ? init.substr(0, init.size() - kScope.size()) : init;
}

std::string through(const Hierarchy& hierarchy, const std::string& group) {
    const std::string& root = hierarchy.mount_root;
    const bool below = root != "/" && group.starts_with(root);
    return clean_path(hierarchy.mount_point + "/" + (below ? group.substr(root.size()) : group));
}

}  // namespace

bool is_systemd_form(const std::string& path) {
    const auto parts = split(path, ':');
    return parts.size() == 3 && path.find('/') == std::string::npos &&
           (parts[0].empty() || parts[0].ends_with(".slice"));
}

Result<UnitName> unit_name(const std::string& cgroups_path, const std::string& id) {
    UnitName out{"hardrun-" + id + ".scope", "system.slice"};
    if (cgroups_path.empty())
        return out;
    const auto parts = split(cgroups_path, ':');
    if (parts.size() != 3 || parts[2].empty() || cgroups_path.find('/') != std::string::npos)
        return mismatch(cgroups_path);
    if (!parts[0].empty())
        out.slice = std::string(parts[0]);
    const std::string name(parts[2]);
    const std::string prefix(parts[1]);
    if (name.ends_with(".slice"))
        out.unit = name;
    else
        out.unit = (prefix.empty() ? "" : prefix + "-") + name + ".scope";
    HARDRUN_TRY(const std::string folder, slice_folder(out.slice));
    (void)folder;  // only that the name is a good one
    return out;
}

Result<std::string> slice_folder(const std::string& slice) {
    constexpr std::string_view kSuffix = ".slice";
    if (slice.size() <= kSuffix.size() || !slice.ends_with(kSuffix) ||
        slice.find('/') != std::string::npos)
        return bad_slice(slice);
    const std::string name = slice.substr(0, slice.size() - kSuffix.size());
    if (name == "-")
        return std::string();
    std::string path;
    std::string prefix;
    for (const std::string_view part : split(name, '-')) {
        if (part.empty())
            return bad_slice(slice);
        prefix += part;
        path += "/" + prefix + std::string(kSuffix);
        prefix += "-";
    }
    return path;
}

Result<Location> locate_unit(const Host& host, const OwnGroups& init, const UnitName& name) {
    // A slice is below the one that its own name says.
    std::string below;
    if (name.is_slice()) {
        HARDRUN_TRY(below, slice_folder(name.unit));
    } else {
        HARDRUN_TRY(below, slice_folder(name.slice));
        below += "/" + name.unit;
    }
    Location location;
    location.systemd_unit = name.unit;
    const auto place = [&](const Hierarchy& hierarchy, const std::string& controller) {
        const auto own = init.find(controller);
        const std::string base = own == init.end() ? "/" : manager_group(own->second);
        location.folders[controller] = clean_path(through(hierarchy, base) + below);
    };
    for (const Hierarchy& hierarchy : host.v1)
        for (const std::string& controller : hierarchy.controllers)
            if (!controller.starts_with("name=") || controller == "name=systemd")
                place(hierarchy, controller);
    if (host.v2)
        place(*host.v2, "");
    return location;
}

}  // namespace hardrun::cgroup
