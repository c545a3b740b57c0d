// SPDX-License-Identifier: Apache-2.0
// The container's states and which operation is allowed in which, as one table that is also the
// documentation (runtime.md, "Lifecycle"). Every command asks here first; none compares states by
// itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/result.h"

namespace hardrun::state {

enum class State : uint8_t { creating, created, running, paused, stopped };
enum class Operation : uint8_t { start, kill, pause, resume, exec, update, events, remove };

std::string_view name(State state);

constexpr bool allowed(Operation op, State s) {
    switch (op) {
        case Operation::start:
            return s == State::created;
        case Operation::kill:
            return s != State::stopped;
        case Operation::pause:
            return s == State::running || s == State::created;
        case Operation::resume:
            return s == State::paused;
        case Operation::exec:
            return s == State::created || s == State::running;
        case Operation::update:
        case Operation::events:
            return s == State::created || s == State::running || s == State::paused;
        case Operation::remove:
            return s == State::created || s == State::stopped;
    }
    return false;
}

static_assert(!allowed(Operation::start, State::running), "start is once only");
static_assert(!allowed(Operation::remove, State::creating),
              "a half-made container is undone by force only");

// Errors: bad_state, with the words that engines look for ("container not running", "cannot exec in
// a paused container", ...; runc's own).
Status check(Operation op, State s, std::string_view id);

// What is true now, told by the kernel and not by what was last written down.
struct Evidence {
    bool complete = false;     // create came to its end
    bool init_alive = false;   // pid and start time both match the record
    bool gate_closed = false;  // nobody has started it yet
    bool creator_alive = false;
    bool frozen = false;
};

constexpr State state_from(const Evidence& e) {
    if (!e.complete)
        return e.creator_alive ? State::creating : State::stopped;
    if (!e.init_alive)
        return State::stopped;
    if (e.frozen)
        return State::paused;
    return e.gate_closed ? State::created : State::running;
}

}  // namespace hardrun::state
