// SPDX-License-Identifier: Apache-2.0
// `kill` and `delete`.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/launch/create.h"

namespace hardrun::launch {

enum class Whom { init, everybody };

// Errors: bad_state "container not running" (init only).
Status kill(const Container& container, int signal, Whom whom);

enum class Force { no, yes };

// Errors: bad_state for a container that is not stopped (without force); whatever could not be
// removed.
Status remove(const state::Store& store, const std::string& id, Force force);

// At the end of `run`: the container whose first process has ended and was waited for.
Status remove(const state::Store& store, Created& ended);

}  // namespace hardrun::launch
