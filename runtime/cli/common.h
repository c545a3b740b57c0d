// SPDX-License-Identifier: Apache-2.0
// Small things that several commands say alike.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/cli/command.h"
#include "runtime/cli/options.h"

namespace hardrun::cli {

// Exactly one word: the container's id. Errors: bad_config with what was given.
Result<std::string> only_id(const Options& options);

// Standard output, all of it.
Status print(std::string_view text);

// --preserve-fds, checked: each of the caller's descriptors 3... was open when hardrun started
// (C39).
Result<uint32_t> preserved_fds(const Options& options, const Global& global);

// Sockets that systemd handed to this process (sd_listen_fds(3)): how many from 3 on, and what the
// container's environment says of them.
struct Listening {
    uint32_t count = 0;
    std::vector<std::string> env;
};
Result<Listening> listening(const Global& global);

}  // namespace hardrun::cli
