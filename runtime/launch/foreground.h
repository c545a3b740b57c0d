// SPDX-License-Identifier: Apache-2.0
// `run` and `exec` without --detach: this process stays for the container's, passes signals on,
// carries the terminal, and ends as it ended.
#pragma once

#include <sys/types.h>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::launch {

// Blocks the signals that wait_for() passes on; before anything is started, so that none is lost.
Status prepare_foreground();

// Orphans of the container become our children, as runc does without --no-subreaper.
Status become_subreaper();

// The exit status, or 128 + the signal. `console` may be invalid.
Result<int> wait_for(pid_t pid, FdRef pidfd, FdRef console);

}  // namespace hardrun::launch
