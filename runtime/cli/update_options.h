// SPDX-License-Identifier: Apache-2.0
// The command line and the document of `update`, as the limits that are to change. What is absent
// or, in a document, 0 stays as it is: engines send zeros for what their user did not name.
#pragma once

#include <string_view>

#include "config/spec.h"
#include "runtime/base/result.h"
#include "runtime/cli/options.h"

namespace hardrun::cli {

void add_update_options(Options& options);

// Errors: bad_config with the option; unsupported for what hardrun has not.
Result<config::Resources> resources_from_options(const Options& options);

// `--resources`. Only what runc's update changes: device rules among others stay what they were.
Result<config::Resources> resources_from_document(std::string_view json);

}  // namespace hardrun::cli
