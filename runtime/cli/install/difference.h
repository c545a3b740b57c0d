// SPDX-License-Identifier: Apache-2.0
// What a change does to a file, for people: the lines that go and come, with a few around them.
#pragma once

#include <string>
#include <string_view>

namespace hardrun::cli::install {

// In the form of diff -u with one hunk; empty where the texts are equal.
std::string difference(std::string_view file, std::string_view before, std::string_view after);

}  // namespace hardrun::cli::install
