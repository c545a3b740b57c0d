// SPDX-License-Identifier: Apache-2.0
// The steps of create(), with what they share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/harden.h"
#include "runtime/base/facts.h"
#include "runtime/base/undo.h"
#include "runtime/cgroup/driver.h"
#include "runtime/launch/conversation.h"
#include "runtime/launch/create.h"
#include "runtime/launch/layout.h"
#include "runtime/launch/network.h"
#include "runtime/launch/sources.h"
#include "runtime/launch/spawn.h"
#include "runtime/plan/plan.h"
#include "runtime/state/store.h"

namespace hardrun::launch {

class Creation {
  public:
    Creation(const state::Store& store, const CreateOptions& options);

    Status read_bundle();  // config.json -> HardenedSpec -> Plan
    Status open_network();
    Status claim_id();  // the folder, with a record of what is about to be made
    Status make_groups();
    Status spawn_init();
    Status place_init();   // while it makes its mounts: id maps, cgroup, oom_score_adj, then go
    Status follow_init();  // until init says ready
    Status settle();       // memory, devices, the finished record, the pid file
    Created finish();

  private:
    Status open_gate_socket();
    Status open_joins();
    Status lay_out(Arena& arena);
    Status write_record();
    Status place();
    Status remove_folder();
    Status leave_at_gate();
    Status hear_ready(const init::Message& message, Fd cell);
    Status answer(Heard heard);
    Status run_hooks();
    Status take_console(Fd master);
    Status switch_to(pid_t pid);
    bool needs_hooks() const;

    const state::Store& store_;
    const CreateOptions& options_;
    KernelFacts facts_;
    config::BundleFacts bundle_facts_;
    std::string config_json_;
    Fd bundle_;
    std::optional<config::HardenedSpec> hardened_;
    std::optional<plan::Plan> plan_;
    NetworkPlan network_;
    std::optional<state::Entry> entry_;
    state::Record record_;
    std::unique_ptr<cgroup::Driver> groups_;
    Fd gate_;
    Fd console_socket_;
    Sources sources_;
    std::vector<OpenedJoin> joins_;
    Layout layout_;
    Spawned init_;
    Fd console_;
    bool hooks_began_ = false;
    UndoStack undo_;  // last: it is rolled back while all the others are still there
};

}  // namespace hardrun::launch
