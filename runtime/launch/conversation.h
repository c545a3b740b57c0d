// SPDX-License-Identifier: Apache-2.0
// The parent's half of the handshake that runtime/init/report.h draws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/init/report.h"

namespace hardrun::launch {

struct Heard {
    bool closed = false;  // end of file: init was executed away, or died
    init::Message message;
    Fd fd;  // the descriptor that came along
};

Result<Heard> hear(FdRef sync);

// The failure that init has already reported, where it has: never waits.
std::optional<init::Message> failure_so_far(FdRef sync);

Status say_go(FdRef sync);

// The names of what the plan's lists hold, for the sentence about a failure.
struct Names {
    std::vector<std::string> mounts;
    std::vector<std::string> devices;
    std::vector<std::string> readonly_paths;
    std::vector<std::string> masked_paths;
    std::vector<std::string> sysctls;
    std::vector<std::string> rlimits;
    std::vector<std::string> joins;
    std::string program;
    bool searched = false;
    std::string cwd;
    std::string apparmor;  // the profile's name
};

// Init's report as an error: the object, the system call, the reason. What engines match on
// ("executable file not found in $PATH", "permission denied") is said for the program only.
Error describe(const init::Message& failed, const Names& names);

}  // namespace hardrun::launch
