// SPDX-License-Identifier: Apache-2.0
// Hooks at their places (config.md, "POSIX-platform Hooks"): which run where, and with which state.
#pragma once

#include <cstdint>
#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/plan/plan.h"
#include "runtime/state/lifecycle.h"
#include "runtime/state/record.h"

namespace hardrun::launch {

enum class Phase : uint8_t {
    prestart,
    create_runtime,
    create_container,
    start_container,
    poststart,
    poststop
};

struct HookSituation {
    const state::Record& record;
    state::State state;
    int init_pidfd = -1;  // hooks end when init does; -1: none
};

// In the runtime's own namespaces: prestart, createRuntime, poststart, poststop.
// The last hooks, for a container that is gone: whatever they answer is only said.
void run_poststop(const std::vector<config::Hook>& list, const state::Record& record);

Status run_phase(Phase phase, const std::vector<config::Hook>& list, const HookSituation& now);

// createContainer: the host's files, but the container's namespaces, before pivot_root.
Status run_in_namespaces(Phase phase, const std::vector<config::Hook>& list,
                         const HookSituation& now);

// startContainer: inside, as the container's process would run.
Status run_in_container(Phase phase, const std::vector<config::Hook>& list,
                        const HookSituation& now, const plan::Process& container);

}  // namespace hardrun::launch
