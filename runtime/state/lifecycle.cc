// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/lifecycle.h"

#include <string>

namespace hardrun::state {
namespace {

std::string refusal(Operation op, State s, std::string_view id) {
    switch (op) {
        case Operation::start:
            if (s == State::stopped)
                return "cannot start a container that has stopped";
            return s == State::creating ? "cannot start a container that is still being created"
                                        : "cannot start an already running container";
        case Operation::kill:
        case Operation::pause:
        case Operation::update:
            return "container not running";
        case Operation::events:
            return "container with id " + std::string(id) + " is not running";
        case Operation::resume:
            return "container not paused";
        case Operation::exec:
            return s == State::paused
                       ? "cannot exec in a paused container (use --ignore-paused to override)"
                       : "cannot exec in a " + std::string(name(s)) + " container";
        case Operation::remove:
            return "cannot delete container " + std::string(id) +
                   " that is not stopped: " + std::string(name(s));
    }
    return "not allowed";
}

}  // namespace

std::string_view name(State state) {
    switch (state) {
        case State::creating:
            return "creating";
        case State::created:
            return "created";
        case State::running:
            return "running";
        case State::paused:
            return "paused";
        case State::stopped:
            return "stopped";
    }
    return "?";
}

Status check(Operation op, State s, std::string_view id) {
    if (allowed(op, s))
        return {};
    return Error(Errc::bad_state, refusal(op, s, id));
}

}  // namespace hardrun::state
