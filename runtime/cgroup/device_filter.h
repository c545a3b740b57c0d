// SPDX-License-Identifier: Apache-2.0
// Device rules on cgroup v2: an eBPF program made from them (pure), and its exchange without a
// moment in which no program is attached.
#pragma once

#include <linux/bpf.h>

#include <vector>

#include "config/spec.h"
#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::cgroup {

// For each of read, write and mknod the last matching rule decides; no match: denied.
std::vector<bpf_insn> device_program(const std::vector<config::DeviceRule>& rules);

// Loads the program, attaches it to the group (opened for reading) beside those of others, and
// detaches the ones that an earlier call attached.
Status replace_device_filter(FdRef group, const std::vector<bpf_insn>& program);

}  // namespace hardrun::cgroup
