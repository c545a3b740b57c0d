// SPDX-License-Identifier: Apache-2.0
// What is in a TOML file, as far as an addition to it must know: that it is well formed, which
// tables it has and which keys. Values are kept as they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun::cli::install {

using TomlPath = std::vector<std::string>;

struct TomlKey {
    TomlPath path;  // from the root, through its table
    std::string value;
};

struct TomlOutline {
    std::vector<TomlPath> tables;
    std::vector<TomlKey> keys;

    // The value at exactly this path, or nullptr.
    const std::string* find(const TomlPath& path) const;
    // A table, or a key, at this path or below it.
    bool has(const TomlPath& path) const;
    // A value stands where a table on the way to this path would have to be.
    bool blocks(const TomlPath& path) const;
};

// Errors: bad_config with the line.
Result<TomlOutline> outline_toml(std::string_view text);

// As a header has it: a."b.c".d
std::string toml_text(const TomlPath& path);
std::string toml_string(std::string_view text);

}  // namespace hardrun::cli::install
