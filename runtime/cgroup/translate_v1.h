// SPDX-License-Identifier: Apache-2.0
// OCI limits as values for cgroup v1 files. Pure. Only what is set is written, so an update leaves
// the rest as it is; device rules are device_rules.h's.
#pragma once

#include <cstdint>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/writes.h"

namespace hardrun::cgroup {

// What the order of writes depends on; a new group has no limit.
struct V1Now {
    uint64_t memory_limit = UINT64_MAX;
};

// Errors: bad_config for values out of range, unsupported for `unified`.
Result<Translation> translate_v1(const config::Resources& resources, const V1Now& now = {});

}  // namespace hardrun::cgroup
