// SPDX-License-Identifier: Apache-2.0
// How each engine is told of a runtime: an edit of one text, both ways. Pure; install.cc reads and
// writes the file. Nothing here ever changes which runtime an engine uses by default.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun::cli::install {

struct Runtime {
    std::string name;
    std::string path;
};
using Runtimes = std::vector<Runtime>;

struct Engine {
    std::string_view name;
    std::string_view file;   // where its configuration is, or a file of ours beside it
    std::string_view fresh;  // what a file starts as that was not there
    std::string_view after;  // how the engine comes to read it
    // `text` with exactly these runtimes of ours in it; unchanged where they are there already.
    // Errors: bad_config for a text that the engine could not read either, and where somebody
    // else's entry has one of the names.
    Result<std::string> (*add)(std::string_view text, const Runtimes& runtimes);
    // `text` without ours. Errors: bad_config as above, and where the default is one of ours.
    Result<std::string> (*take)(std::string_view text);
    std::vector<std::string> (*state_roots)();  // patterns of folders with its containers
};

std::span<const Engine> engines();

// Every name that add() may have put there.
std::span<const std::string_view> runtime_names();

Result<std::string> add_to_docker(std::string_view text, const Runtimes& wanted);
Result<std::string> take_from_docker(std::string_view text);
Result<std::string> add_to_containerd(std::string_view text, const Runtimes& runtimes);
Result<std::string> add_to_podman(std::string_view text, const Runtimes& runtimes);
Result<std::string> add_to_crio(std::string_view text, const Runtimes& runtimes);
Result<std::string> take_from_containerd(std::string_view text);
Result<std::string> take_from_podman(std::string_view text);
Result<std::string> take_from_crio(std::string_view text);

}  // namespace hardrun::cli::install
