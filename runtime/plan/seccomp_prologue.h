// SPDX-License-Identifier: Apache-2.0
// What runs before libseccomp's part of a filter.
//
// A container's C library tries new system calls and falls back when it gets ENOSYS. A profile
// written before such a call existed would answer EPERM, and the program fails. So numbers above
// the newest one that the profile names get ENOSYS where the default would refuse.
//
// And libseccomp knows only the calls of its own time: rules for newer ones, of our own table, are
// put here. Their numbers are the same on all architectures since 424 (but for alpha and mips).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"

namespace hardrun::plan {

// The value a filter returns for an action, SECCOMP_RET_*.
uint32_t seccomp_return(config::SeccompAction action, const std::optional<uint32_t>& errno_ret);

// `architectures`: libseccomp's tokens (SCMP_ARCH_*) of the filter, the native one first. May be
// empty.
Result<std::vector<uint64_t>> seccomp_prologue(const config::Seccomp& seccomp,
                                               std::span<const uint32_t> architectures);

}  // namespace hardrun::plan
