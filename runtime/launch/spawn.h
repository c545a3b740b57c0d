// SPDX-License-Identifier: Apache-2.0
// Starts the init program: clone3 into the new namespaces, then the sealed program, with nothing
// but the descriptors that the plan names.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/launch/arena.h"

namespace hardrun::launch {

struct SpawnRequest {
    uint64_t clone_flags = 0;  // CLONE_NEW*
    int cgroup_fd = -1;        // for CLONE_INTO_CGROUP
    std::vector<int> kept;     // descriptors that init needs, besides the plan and its sync end
    std::optional<std::array<int, 3>> stdio;  // else the caller's
};

struct Spawned {
    pid_t pid = -1;
    Fd pidfd;
    Fd sync;  // our end of the conversation
};

// The plan in `arena` is completed with the sync descriptor. With CLONE_NEWUSER the child waits for
// one more `go`, sent when its id maps are written.
Result<Spawned> spawn(Arena& arena, const SpawnRequest& request);

}  // namespace hardrun::launch
