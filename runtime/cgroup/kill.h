// SPDX-License-Identifier: Apache-2.0
// Signals to all processes of a container's groups.
#pragma once

#include <string>

#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/files.h"
#include "runtime/cgroup/writes.h"

namespace hardrun::cgroup {

// The folder whose processes are the container's: not memory's, which is joined last.
// A pointer into the argument.
const std::string* process_folder(const Folders& folders);

Status signal_group(Files& files, const Location& location, int signal);

}  // namespace hardrun::cgroup
