// SPDX-License-Identifier: Apache-2.0
// Small questions about strings that several layers ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hardrun {

// `text` as a JSON string with its quotes: control characters escaped, bytes that are not UTF-8
// replaced by U+FFFD, so that the result is always valid JSON.
std::string json_quote(std::string_view text);

// Strictly RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool valid_utf8(std::string_view text);

// A decimal number of digits only: no sign, space, prefix or fraction; empty when it is anything
// else or above `max`.
std::optional<uint64_t> parse_decimal(std::string_view text, uint64_t max = UINT64_MAX);

std::vector<std::string_view> split(std::string_view text, char separator);

std::string_view trim(std::string_view text);

// The path with "//", "/./" and trailing "/" removed and ".." applied lexically; "/" stays "/".
std::string clean_path(std::string_view path);

}  // namespace hardrun
