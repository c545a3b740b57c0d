// SPDX-License-Identifier: Apache-2.0
// The way from the bytes of config.json (and of the smaller documents engines pass) to types. No
// system calls: the caller reads the file. Every error is bad_config or unsupported and starts with
// the JSON path of the value: `linux.resources.memory.limit: expected an integer, got "1g"`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"

namespace hardrun::config {

// What was read but not acted upon. Said once in the log, never an error: the specification orders
// runtimes to ignore unknown keys (config.md, "Extensibility").
struct Notes {
    std::vector<std::string> warnings;
};

// The whole of config.json, validated field by field and across fields (duplicate namespaces and
// rlimits, soft above hard, sysctl without its namespace, mappings without a user namespace, ...).
Result<Spec> read_spec(std::string_view json, Notes& notes);

// process.json of `exec --process`.
Result<Process> read_process(std::string_view json, Notes& notes);

// The resources document of `update --resources`.
Result<Resources> read_resources(std::string_view json, Notes& notes);

}  // namespace hardrun::config
