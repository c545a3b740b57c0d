// SPDX-License-Identifier: Apache-2.0
// `start`: the gate of a created container is opened, once.
#pragma once

#include "runtime/base/result.h"
#include "runtime/launch/create.h"

namespace hardrun::launch {

// Runs startContainer hooks, lets the program go, runs poststart hooks. Errors: bad_state with
// runc's words; what init reports, after which the container is stopped.
Status start(const Container& container);

// The same for `run`, which holds the conversation itself.
Status start(const Created& created);

}  // namespace hardrun::launch
