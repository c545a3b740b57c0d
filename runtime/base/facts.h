// SPDX-License-Identifier: Apache-2.0
// What this kernel and this process can do, asked once and passed on as plain data.
#pragma once

#include <array>
#include <cstdint>

namespace hardrun {

struct KernelFacts {
    uint64_t bounding = 0;    // capabilities that this process can hand on
    uint64_t known_caps = 0;  // capabilities that the kernel knows
    std::array<uint64_t, 16>
        rlimit_hard{};  // by RLIMIT_*: what cannot be raised without CAP_SYS_RESOURCE
    bool apparmor = false;
    bool selinux = false;
    bool kcore = false;            // /proc/kcore is there
    bool user_namespaced = false;  // this process is in a user namespace of its own
};

KernelFacts probe_kernel();

}  // namespace hardrun
