// SPDX-License-Identifier: Apache-2.0
// Folders of groups: made with their parents, checked to be unused, taken away again. Knows nothing
// of limits.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/undo.h"
#include "runtime/cgroup/files.h"

namespace hardrun::cgroup {

// Makes `folder` and what is missing above it; each new folder is pushed to `undo`.
Result<Files::Made> make_group(Files& files, const std::string& folder, UndoStack& undo);

// A group that was there before may belong to somebody else. Errors: bad_state where it is frozen
// or holds processes.
Status check_unused(Files& files, const std::string& folder);

// A v1 cpuset group is empty at first, and no process can enter it so: takes over the parent's cpus
// and mems where its own are empty.
Status inherit_cpuset(Files& files, const std::string& folder);

// v2: makes the controllers of the hierarchy's root usable in `folder`, by enabling them in each
// group from `mount_point` down to its parent. What cannot be enabled is left out; a limit for it
// then fails by name.
void enable_controllers(Files& files, const std::string& mount_point, const std::string& folder);

// Removes the groups with everything below them; waits for their processes to be gone up to
// `timeout_ms`.
Status remove_groups(Files& files, const std::vector<std::string>& folders, int timeout_ms);

// The group and all groups below it, itself first.
std::vector<std::string> with_descendants(Files& files, const std::string& folder);

// Every process in the group and below it.
Result<std::vector<pid_t>> all_pids(Files& files, const std::string& folder);

}  // namespace hardrun::cgroup
