// SPDX-License-Identifier: Apache-2.0
// Starts the init program: clone3 into the new namespaces, then the sealed program, with nothing
// but the descriptors that the plan names.
#pragma once

#include <sys/types.h>

#include <array>
#include <memory>
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

// What the child uses between clone and exec, in our memory: kept until it has spoken, or is
// reaped.
struct Child {
    int program = -1;
    int sync = -1;
    bool new_user = false;
    std::optional<std::array<int, 3>> stdio;
    std::vector<int> kept;
    std::array<char, 16> plan{};  // the plan's descriptor in decimal
    alignas(16) std::array<char, 16384> stack;
};

struct Spawned {
    pid_t pid = -1;
    Fd pidfd;
    Fd sync;  // our end of the conversation
    std::unique_ptr<Child> child;
};

// The plan in `arena` is completed with the sync descriptor. With CLONE_NEWUSER the child waits for
// one more `go`, sent when its id maps are written.
Result<Spawned> spawn(Arena& arena, const SpawnRequest& request);

}  // namespace hardrun::launch
