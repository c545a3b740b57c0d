// SPDX-License-Identifier: Apache-2.0
// Our part of somebody else's TOML file: one block at its end between two comment lines, so that it
// can be replaced and taken back without touching anything else.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/cli/install/engine.h"
#include "runtime/cli/install/toml_outline.h"

namespace hardrun::cli::install {

// Errors: bad_config for a block without its end.
Result<std::string> without_block(std::string_view text);

// `text`, which has none, with a block of these lines.
std::string with_block(std::string_view text, std::string_view lines);

// Errors: bad_config where one of `tables` cannot be added to what is there.
Status check_free(const TomlOutline& there, const std::vector<TomlPath>& tables);

// Errors: bad_config where the key holds the name of one of our runtimes.
Status check_default(const TomlOutline& there, const TomlPath& key);

}  // namespace hardrun::cli::install
