// SPDX-License-Identifier: Apache-2.0
// Which network namespaces a container gets: the engine's as the uplink, and the cell where the
// workload lives (README, "The network cell").
#pragma once

#include <optional>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/plan/plan.h"
#include "runtime/state/store.h"

namespace hardrun::launch {

struct NetworkPlan {
    bool make_cell = false;
    bool stay_in_uplink = false;  // a pod's pause container
    bool raise_loopback = false;
    Fd join;                    // instead of the path in config.json: another container's cell
    state::NamespaceId uplink;  // given by path
};

struct NetworkQuestion {
    const plan::Plan& plan;
    const config::Spec& spec;
    const state::Store& store;
    bool engine_may_plumb = false;  // hooks, a path, or a gap between create and start
};

Result<NetworkPlan> plan_network(const NetworkQuestion& question);

// The cell of a container that lives in one: init's own, or the one that it holds until start.
Result<Fd> open_cell(const state::Entry& entry, const state::Record& record);

inline constexpr const char* kPinnedCell = "cell";

}  // namespace hardrun::launch
