// SPDX-License-Identifier: Apache-2.0
// The seccomp section of config.json compiled to the kernel's classic BPF, by libseccomp, with a
// prologue of our own (seccomp_prologue.h). Compiled in the parent: the child only loads it.
#pragma once

#include <cstdint>
#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"

namespace hardrun::plan {

struct SeccompProgram {
    std::vector<uint64_t> instructions;  // struct sock_filter, 8 bytes each
    uint32_t flags = 0;                  // SECCOMP_FILTER_FLAG_*

    bool operator==(const SeccompProgram&) const = default;
};

// Names of system calls that neither libseccomp nor we know are skipped, as are rules that say the
// same as the default. Errors: unsupported for an architecture or a rule that libseccomp cannot put
// into a filter for this machine.
Result<SeccompProgram> compile_seccomp(const config::Seccomp& seccomp);

}  // namespace hardrun::plan
