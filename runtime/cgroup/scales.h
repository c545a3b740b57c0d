// SPDX-License-Identifier: Apache-2.0
// Conversions and text forms that the translations share. Pure. What counts as "not set" is runc
// 1.1.5's answer, since engines send 0 for what their user did not ask for.
#pragma once

#include <cstdint>
#include <string>

#include "config/spec.h"
#include "runtime/base/result.h"

namespace hardrun::cgroup {

// cpu.shares 2..262144 -> cpu.weight 1..10000, on runc's line.
uint64_t weight_from_shares(uint64_t shares);

// blkio.weight 10..1000 -> io.weight 1..10000, on runc's line.
uint64_t io_weight_from_blkio(uint64_t weight);

// -1 (and below) is "max".
std::string limit_text(int64_t limit);

// A pids limit of 0 cannot be what keeps the container's first process out, so it means: no more
// than that one.
int64_t pids_limit(int64_t limit);

// The swap part of a memory+swap limit, as v2 wants it; 0: nothing to set.
// Errors: bad_config where the two do not fit together.
Result<int64_t> swap_without_memory(int64_t memory_and_swap, int64_t memory);

// Errors: bad_config, with the field.
Status check_ranges(const config::Resources& resources);

std::string device_text(uint32_t major, uint32_t minor);

// Set and not 0.
template <class T>
bool given(const std::optional<T>& value) {
    return value.has_value() && *value != 0;
}

}  // namespace hardrun::cgroup
