// SPDX-License-Identifier: Apache-2.0
// What `--version` prints: first line "NAME version X", then runc's "spec: " line (engines parse
// both).
#pragma once

#include <string>

namespace hardrun::cli {

inline constexpr const char* kSpecVersion = "1.0.2-dev";

std::string version_text();

}  // namespace hardrun::cli
