// SPDX-License-Identifier: Apache-2.0
// Usage of a container's groups in the form of runc's `events --stats`: its `data` object. What a
// host does not have is left out or 0, as runc does; engines read absent values so.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/cgroup/files.h"
#include "runtime/cgroup/writes.h"

namespace hardrun::cgroup {

Result<std::string> stats_v1(Files& files, const Folders& folders);
Result<std::string> stats_v2(Files& files, const std::string& folder);

}  // namespace hardrun::cgroup
