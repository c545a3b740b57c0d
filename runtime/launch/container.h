// SPDX-License-Identifier: Apache-2.0
// A container that exists: its folder, its record, and what is true of it now.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/harden.h"
#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/driver.h"
#include "runtime/state/lifecycle.h"
#include "runtime/state/store.h"

namespace hardrun::launch {

class Container {
  public:
    // Errors: not_found with runc's words; whatever is wrong with the record.
    static Result<Container> open(const state::Store& store, const std::string& id);
    // For the call that has just created it.
    static Container created(state::Entry entry, state::Record record, Fd init);

    const state::Entry& entry() const { return entry_; }
    const state::Record& record() const { return record_; }
    state::State state() const { return state_; }
    // Init as a pidfd; invalid when it is gone.
    FdRef init() const { return init_; }

    // The driver of the container's groups, or null when it has none (yet).
    Result<std::unique_ptr<cgroup::Driver>> groups() const;

    // The stored config.json, hardened again by the stored profile.
    Result<config::HardenedSpec> hardened(const KernelFacts& facts) const;

  private:
    Container(state::Entry entry, state::Record record)
        : entry_(std::move(entry)), record_(std::move(record)) {}
    state::Entry entry_;
    state::Record record_;
    state::State state_ = state::State::stopped;
    Fd init_;
};

// The state document of runtime.md, for `state` and for hooks.
std::string state_json(const state::Record& record, state::State state);

}  // namespace hardrun::launch
