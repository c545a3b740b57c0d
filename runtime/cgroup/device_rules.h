// SPDX-License-Identifier: Apache-2.0
// The ordered device rules of a container: runc's defaults, and their form for the v1 devices
// hierarchy. Pure. For each of read, write and mknod the last rule that matches a device decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/writes.h"

namespace hardrun::cgroup {

// The rules, then what runc always allows: mknod of any node, and the use of null, zero, full,
// random, urandom, tty, ptmx, ptys and tun.
std::vector<config::DeviceRule> with_default_devices(const std::vector<config::DeviceRule>& rules);

// Writes that take a group from `devices_list` (the file's text; empty: anything) to the rules.
// Allowed devices that stay allowed are never denied in between. Errors: unsupported where v1
// cannot say it (a deny inside a wider allow).
Result<std::vector<Write>> device_writes_v1(const std::vector<config::DeviceRule>& rules,
                                            std::string_view devices_list);

}  // namespace hardrun::cgroup
