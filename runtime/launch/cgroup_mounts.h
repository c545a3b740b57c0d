// SPDX-License-Identifier: Apache-2.0
// A mount of type "cgroup" in config.json means the container's own groups in whatever form the
// host has them: with v1 a tmpfs with one folder a hierarchy, with v2 one file system.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/cgroup/driver.h"
#include "runtime/plan/plan.h"

namespace hardrun::launch {

enum class CgroupView { own, host };  // own: the container has a cgroup namespace

struct CgroupMounts {
    std::vector<plan::Mount> mounts;
    std::vector<std::pair<std::string, std::string>> links;  // cpu -> cpu,cpuacct
};

CgroupMounts expand_cgroup_mount(const plan::Mount& mount, const cgroup::Location& groups,
                                 CgroupView view);

}  // namespace hardrun::launch
