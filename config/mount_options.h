// SPDX-License-Identifier: Apache-2.0
// Mount option strings of the OCI configuration, translated by table (config.md, "Linux mount
// options").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun::config {

// The meaning of one mount's option list. Every field is final: nothing downstream looks at the
// option strings again. An atime choice is MOUNT_ATTR__ATIME in attr_clear plus the wanted value in
// attr_set, as mount_setattr(2) wants it.
struct MountOptions {
    uint64_t attr_set = 0;    // MOUNT_ATTR_* to switch on, for this mount only
    uint64_t attr_clear = 0;  // MOUNT_ATTR_* to switch off, for this mount only
    uint64_t rec_set = 0;     // the same, for the whole tree (rro, rnosuid, ...)
    uint64_t rec_clear = 0;
    std::vector<uint64_t> propagation;  // MS_* types (with MS_REC), in order; empty: leave it
    bool bind = false;
    bool bind_recursive = false;
    bool copy_up = false;  // tmpcopyup: fill a new tmpfs with what the image has there
    std::vector<std::string> fs_options;  // left for the filesystem itself: "size=64m", "mode=755"
};

// Errors: bad_config for an option with a comma or NUL, and for options that are known but not
// supported.
Result<MountOptions> parse_mount_options(std::span<const std::string> options);

// Every name the table knows, for the `features` command. Derived, so it cannot go stale.
std::vector<std::string_view> known_mount_options();

}  // namespace hardrun::config
