// SPDX-License-Identifier: Apache-2.0
// "slice:prefix:name", the form of cgroupsPath for systemd, as unit, slice and folder. Pure.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/cgroup/detect.h"

namespace hardrun::cgroup {

struct UnitName {
    std::string unit;   // "docker-ID.scope", or a slice where the name is one
    std::string slice;  // "system.slice"

    bool is_slice() const { return unit.ends_with(".slice"); }
};

// An empty path is "system.slice:hardrun:ID". Errors: bad_config for another form, which is how an
// engine looks that is set to the other cgroup driver.
Result<UnitName> unit_name(const std::string& cgroups_path, const std::string& id);

// True for what only the systemd driver understands: an engine that sends it is set to that one.
bool is_systemd_form(const std::string& cgroups_path);

// "a-b.slice" lies in "/a.slice/a-b.slice"; "-.slice" is the root, "".
Result<std::string> slice_folder(const std::string& slice);

// Where systemd has the unit's groups. `init` are the groups of process 1 (/proc/1/cgroup).
Result<Location> locate_unit(const Host& host, const OwnGroups& init, const UnitName& name);

}  // namespace hardrun::cgroup
