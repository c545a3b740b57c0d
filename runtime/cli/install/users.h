// SPDX-License-Identifier: Apache-2.0
// Who still runs on hardrun: asked before an engine forgets it.
#pragma once

#include <string>
#include <vector>

namespace hardrun::cli::install {

// The running containers with a record of ours below these folders (patterns of glob(7)), as
// "ID (FOLDER)". What cannot be read is no container of ours.
std::vector<std::string> running_below(const std::vector<std::string>& patterns);

}  // namespace hardrun::cli::install
