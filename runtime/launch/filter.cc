// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/filter.h"

#include "runtime/plan/seccomp_cache.h"

namespace hardrun::launch {

Result<std::optional<plan::SeccompProgram>> filter_of(const config::Linux& linux,
                                                      const std::string& cache) {
    if (!linux.seccomp)
        return std::optional<plan::SeccompProgram>();
    HARDRUN_TRY(plan::SeccompProgram program, plan::compile_seccomp_cached(*linux.seccomp, cache));
    return std::optional<plan::SeccompProgram>(std::move(program));
}

}  // namespace hardrun::launch
