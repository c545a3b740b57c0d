// SPDX-License-Identifier: Apache-2.0
// Compiled filters kept on disk: compiling a profile of 300 calls costs more than all else that the
// parent thinks, and engines use one profile for thousands of containers. A wrong entry would be a
// hole, so an entry is taken only when everything about it is right, the full text of what it was
// made from included; in any doubt the profile is compiled again.
#pragma once

#include <string>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/plan/seccomp.h"

namespace hardrun::plan {

// `folder` must belong to the caller alone (0700); it is made when missing. A cache that cannot be
// used is no error: errors are compile_seccomp's only.
Result<SeccompProgram> compile_seccomp_cached(const config::Seccomp& seccomp,
                                              const std::string& folder);

// The file name for a profile, and the text that decides about equality. For tests.
std::string seccomp_cache_key(const config::Seccomp& seccomp);
std::string seccomp_cache_name(std::string_view key);

}  // namespace hardrun::plan
