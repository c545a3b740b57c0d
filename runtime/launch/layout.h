// SPDX-License-Identifier: Apache-2.0
// Lays a plan and the opened sources out as the memory that init reads, and keeps the names of what
// lies where, for the sentence about a failure.
#pragma once

#include <vector>

#include "runtime/launch/arena.h"
#include "runtime/launch/conversation.h"
#include "runtime/launch/sources.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/seccomp.h"

namespace hardrun::launch {

struct Layout {
    Names names;
    std::vector<int> kept;  // descriptors that init must inherit
};

// The container's part: root, mounts, devices, names. The descriptors stay owned by `sources`.
void lay_out_container(Arena& arena, const plan::Plan& plan, const Sources& sources,
                       Layout& layout);

// The process's part: program, identity, limits, labels, filter.
void lay_out_process(Arena& arena, const plan::Process& process, const plan::SeccompProgram* filter,
                     Layout& layout);

// Namespaces to join, opened.
struct OpenedJoin {
    uint64_t type = 0;
    Fd fd;
    std::string name;
};
void lay_out_joins(Arena& arena, const std::vector<OpenedJoin>& joins, Layout& layout);

}  // namespace hardrun::launch
