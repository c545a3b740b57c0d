// SPDX-License-Identifier: Apache-2.0
// Runs hooks (config.md, "POSIX-platform Hooks"): the state on standard input, exactly the listed
// environment, a process group of its own, and the time limit. What a hook writes goes to our
// stderr.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::hooks {

struct Hook {
    std::string json_path;  // "hooks.prestart[0]", for the error
    std::string path;
    std::vector<std::string> args;
    std::vector<std::string> env;
    std::optional<uint32_t> timeout_seconds;
};

struct Surroundings {
    std::string state_json;
    std::string folder;  // the hook's working directory
    // A process without which the hook makes no sense: when it ends, the hook is killed and the run
    // fails.
    std::optional<int> watched_pidfd;
};

// Another way to start the hook than fork and execve here: in the namespaces of a container, say.
struct Stdio {
    int input = -1;
    int output = -1;
};
struct Started {
    pid_t pid = -1;
    Fd pidfd;
};
using Starter = std::function<Result<Started>(const Stdio&)>;

// Errors: the hook's path, how it ended, and the last line that it wrote to stderr.
Status run(const Hook& hook, const Surroundings& surroundings, const Starter& starter = {});

}  // namespace hardrun::hooks
