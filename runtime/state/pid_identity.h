// SPDX-License-Identifier: Apache-2.0
// A process that is certainly the one it was: its pid together with its start time, and a pidfd
// that stays with it. A pid alone may belong to somebody else by now.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::state {

struct PidIdentity {
    pid_t pid = 0;
    uint64_t start_time = 0;  // field 22 of /proc/PID/stat, in clock ticks since boot
};

// Errors: not_found when there is no such process.
Result<PidIdentity> identify(pid_t pid);

// The process behind a stored identity, or an invalid descriptor when it is gone or has become a
// zombie.
Result<Fd> open_process(const PidIdentity& identity);

// pidfd_send_signal(2). Errors: not_found when the process is gone.
Status send_signal(FdRef pidfd, int signal);

}  // namespace hardrun::state
