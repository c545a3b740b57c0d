// SPDX-License-Identifier: Apache-2.0
// Stopping all processes of a group at once, with v1's freezer or v2's cgroup.freeze.
#pragma once

#include <optional>
#include <string>

#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/files.h"

namespace hardrun::cgroup {

// The folder to freeze by, and which of the two it is.
struct Freezer {
    enum class Kind : uint8_t { v1, v2 };
    Kind kind = Kind::v2;
    std::string folder;
};

std::optional<Freezer> freezer_of(const Location& location);

// Returns when all are frozen; thaws again where that does not come about in time.
Status freeze_group(Files& files, const Freezer& freezer);
Status thaw_group(Files& files, const Freezer& freezer);
Result<FreezerState> state_of(Files& files, const Freezer& freezer);

}  // namespace hardrun::cgroup
