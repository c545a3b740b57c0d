// SPDX-License-Identifier: Apache-2.0
// OCI limits as values for cgroup v2 files. Pure. Only what is set is written, so an update leaves
// the rest as it is; device rules are device_filter.h's.
#pragma once

#include <string>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/writes.h"

namespace hardrun::cgroup {

// Files whose new value depends on the old one; a new group's are these.
struct V2Now {
    std::string cpu_max = "max 100000";
    std::string memory_max = "max";
};

// Errors: bad_config for values out of range, or where `unified` names no limit.
Result<Translation> translate_v2(const config::Resources& resources, const V2Now& now = {});

}  // namespace hardrun::cgroup
