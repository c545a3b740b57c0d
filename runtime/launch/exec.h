// SPDX-License-Identifier: Apache-2.0
// `exec`: a further process in a running or created container.
#pragma once

#include <optional>
#include <string>

#include "config/harden.h"
#include "runtime/base/facts.h"
#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/launch/container.h"

namespace hardrun::launch {

struct ExecOptions {
    config::Process process;
    std::string console_socket;
    bool foreground = false;
    uint32_t preserve_fds = 0;
    std::string pid_file;
    std::string sub_cgroup;
    bool ignore_paused = false;
    std::string cache_folder;
};

struct Executed {
    pid_t pid = -1;
    Fd pidfd;
    Fd console;  // foreground: the terminal's master
};

// What create stored, hardened again: it binds every exec.
struct StoredSpec {
    KernelFacts facts;
    config::HardenedSpec spec;
};
Result<StoredSpec> read_stored(const Container& container);

// The process of the container's own config.json, as what exec's options change. Errors: bad_config
// when there is none.
Result<config::Process> default_process(const StoredSpec& stored);

// Errors: bad_state with runc's words; what the profile refuses; what init reports.
Result<Executed> exec(const Container& container, const StoredSpec& stored,
                      const ExecOptions& options);

}  // namespace hardrun::launch
