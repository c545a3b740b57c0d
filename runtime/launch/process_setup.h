// SPDX-License-Identifier: Apache-2.0
// What create and exec do alike from outside of the new process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/plan/plan.h"

namespace hardrun::launch {

// A terminal needs somebody to hold its other end, and a console socket needs a terminal (C04).
Status check_terminal(const std::optional<plan::Process>& process,
                      const std::string& console_socket, bool foreground);

// process.oomScoreAdj, written only where it changes anything: lowering it takes CAP_SYS_RESOURCE.
Status set_oom_score_adj(pid_t pid, std::optional<int> value);

// Digits only, by rename, so that a reader never sees a part (C39).
Status write_pid_file(const std::string& path, pid_t pid);

// Why a child that closed the conversation without a word is gone.
Error died(pid_t pid);

// A child of ours that nobody has waited for yet, so that its pid is still its own.
Result<Fd> open_child(pid_t pid);

// Kills a child of ours and waits for it; gone already is a success.
Status end_child(pid_t pid);

// Where a failed undo goes: into the log, beside the error that the user sees.
void report_undo(const std::string& what, const Error& error);

}  // namespace hardrun::launch
