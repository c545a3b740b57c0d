// SPDX-License-Identifier: Apache-2.0
// What cgroup hierarchies this host has, and where below them a container's groups belong. Pure but
// for probe_host(); the texts are those of /proc/self/mountinfo and /proc/self/cgroup.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/cgroup/driver.h"

namespace hardrun::cgroup {

struct Hierarchy {
    std::string mount_point;
    std::string mount_root;                // which group of the hierarchy is seen at mount_point
    std::vector<std::string> controllers;  // v1: "cpu", "name=systemd"; v2: empty
};

struct Host {
    std::vector<Hierarchy> v1;
    std::optional<Hierarchy> v2;

    // Hybrid hosts have both; the controllers are v1's there.
    bool unified() const { return v1.empty(); }
};

Host parse_mountinfo(std::string_view text);

// This process's own groups: "memory" or "name=systemd" or "" (v2) -> path within the hierarchy.
using OwnGroups = std::map<std::string, std::string>;
OwnGroups parse_own_groups(std::string_view text);

// runc's rule: an absolute cgroupsPath counts from the mount, a relative or empty one (then it is
// the id) from this process's own group; on v2 from that group's parent, since a v2 group with
// processes in it cannot have limited children. Errors: bad_config for "..", for the root itself.
Result<Location> locate(const Host& host, const OwnGroups& own, const Request& request);

Result<Host> probe_host();
Result<OwnGroups> probe_own_groups();

}  // namespace hardrun::cgroup
