// SPDX-License-Identifier: Apache-2.0
// OCI limits as properties of a systemd unit. Pure. systemd keeps to what it was told, so every
// limit that it knows must reach it, or its next reload takes the limit back. The group's files are
// written besides, exactly, by the file system driver.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/unit_name.h"
#include "runtime/cgroup/unit_property.h"

namespace hardrun::cgroup {

enum class Layout : uint8_t { v1, v2 };  // hybrid is v1 here

struct UnitProperties {
    std::vector<UnitProperty> early;
    std::vector<UnitProperty> late;  // memory and tasks, which would hit init while it sets up
};

// What a new scope (or slice) is apart from its limits.
std::vector<UnitProperty> unit_basics(const UnitName& name, pid_t pid, Layout layout);

// `groups`: /proc/devices' names by "c136" or "b8", for rules with any minor number.
using DeviceGroups = std::map<std::string, std::string>;
DeviceGroups parse_device_groups(std::string_view proc_devices);

Result<UnitProperties> translate_systemd(const config::Resources& resources, Layout layout);

// The rules as the narrowest list that systemd can express and that denies nothing of them.
std::vector<UnitProperty> device_properties(const std::vector<config::DeviceRule>& rules,
                                            const DeviceGroups& groups);

}  // namespace hardrun::cgroup
