// SPDX-License-Identifier: Apache-2.0
// From a bundle to a container that waits at its gate.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/harden.h"
#include "runtime/base/facts.h"
#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/driver.h"
#include "runtime/launch/container.h"
#include "runtime/state/store.h"

namespace hardrun::launch {

struct CreateOptions {
    std::string id;
    std::string bundle;  // absolute
    config::Profile profile = config::Profile::strict;
    bool systemd_cgroup = false;
    std::string console_socket;
    bool foreground = false;  // the caller carries the terminal itself
    bool run = false;         // no gate: created and started in one call
    uint32_t preserve_fds = 0;
    std::vector<std::string> extra_env;  // after config.json's: what belongs to those descriptors
    std::string pid_file;
    bool no_pivot = false;
    bool new_keyring = true;
    std::string cache_folder;  // compiled filters
};

struct Created {
    Container container;
    config::HardenedSpec spec;
    KernelFacts facts;
    std::unique_ptr<cgroup::Driver> groups;
    Fd sync;     // run: the program waits for a go here
    Fd console;  // foreground: the terminal's master
};

// Errors: as the readers, the profile and the launch give them. Nothing is left behind after one.
Result<Created> create(const state::Store& store, const CreateOptions& options);

}  // namespace hardrun::launch
