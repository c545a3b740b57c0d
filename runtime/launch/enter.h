// SPDX-License-Identifier: Apache-2.0
// A further process in the namespaces of a container: for exec, and for the hooks that run inside.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/init/init_plan.h"
#include "runtime/launch/container.h"
#include "runtime/launch/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/state/record.h"

namespace hardrun::launch {

// Those namespaces of init that differ from ours, joined by its pidfd, all in one call (setns(2),
// Linux 5.8). A created container's network namespace is its cell, where it has one. Errors:
// bad_state when init has ended.
Result<std::vector<OpenedJoin>> open_joins_of(const Container& container);

// The same by pid alone, the network namespace that init stands in included: for hooks.
Result<std::vector<OpenedJoin>> open_joins_of_pid(FdRef pidfd, pid_t pid);

struct Entrance {
    const state::Record& record;
    std::vector<OpenedJoin> joins;
    init::Mode mode = init::Mode::exec;
    const plan::Process& process;
    const plan::SeccompProgram* filter = nullptr;
    std::optional<std::array<int, 3>> stdio;
    uint32_t preserve_fds = 0;
    std::string keyring_name;  // empty: the caller's
};

struct Entered {
    pid_t pid = -1;
    Fd pidfd;
    Fd sync;  // the program waits for a go here
    Fd console;
    Names names;
};

// Where the new process belongs before it goes on: its cgroup. Called with its first pid.
class Placement {
  public:
    virtual ~Placement() = default;
    Placement() = default;
    Placement(const Placement&) = delete;
    Placement& operator=(const Placement&) = delete;
    virtual Status place(pid_t pid) = 0;
};

// Until the process is ready; nothing of it is left after an error.
Result<Entered> enter(const Entrance& entrance, Placement* placement);

// Lets the program go and answers whether it was executed.
Status let_go(const Entered& entered);

}  // namespace hardrun::launch
