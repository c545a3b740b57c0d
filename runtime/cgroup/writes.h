// SPDX-License-Identifier: Apache-2.0
// What all translations produce: an ordered list of values for files, and its application.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/cgroup/files.h"

namespace hardrun::cgroup {

enum class OnFailure : uint8_t {
    report,
    skip_missing,  // no such file: this kernel does not have the feature, and nothing is lost
    retry_last,    // EINVAL: depends on a value that a later write changes, so try again at the end
};

struct Write {
    std::string controller;  // which v1 hierarchy; "" on v2
    std::string file;
    std::string value;
    std::string field;  // "linux.resources.memory.limit": who asked for it
    OnFailure on_failure = OnFailure::report;
    std::string other_file = {};  // where `file` does not exist: this one instead
    std::string other_value = {};
    bool operator==(const Write&) const = default;
};

// Late is what would hit init while it still sets up: memory and pids.
struct Translation {
    std::vector<Write> early;
    std::vector<Write> late;
};

// Controller -> folder, as in Location.
using Folders = std::map<std::string, std::string>;

// Errors: unsupported where the controller is not on this host; else the kernel's, naming field,
// file and value.
Status apply(Files& files, const Folders& folders, const std::vector<Write>& writes);

}  // namespace hardrun::cgroup
