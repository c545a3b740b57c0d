// SPDX-License-Identifier: Apache-2.0
// The seccomp filter of a config.json, compiled or from the cache.
#pragma once

#include <optional>
#include <string>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/plan/seccomp.h"

namespace hardrun::launch {

// Absent where config.json has none. `cache` may be empty or unusable: then it is compiled.
Result<std::optional<plan::SeccompProgram>> filter_of(const config::Linux& linux,
                                                      const std::string& cache);

}  // namespace hardrun::launch
