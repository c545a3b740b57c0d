// SPDX-License-Identifier: Apache-2.0
// What this kernel and this process can do, asked once and passed on as plain data.
#pragma once

#include <cstdint>

namespace hardrun {

struct KernelFacts {
    uint64_t bounding = 0;    // capabilities that this process can hand on
    uint64_t known_caps = 0;  // capabilities that the kernel knows
    bool apparmor = false;
    bool selinux = false;
    bool kcore = false;            // /proc/kcore is there
    bool user_namespaced = false;  // this process is in a user namespace of its own
};

KernelFacts probe_kernel();

}  // namespace hardrun
