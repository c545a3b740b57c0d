// SPDX-License-Identifier: Apache-2.0
// Which environment variables look like credentials. The table in secrets.cc is the published one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hardrun::config {

// What a removed variable is set to: the name stays, so that a program says what it misses.
inline constexpr std::string_view kRemovedValue = "REMOVED-BY-HARDRUN";

bool looks_like_credential(std::string_view name, std::string_view value);

struct CredentialPattern {
    enum class Where : uint8_t {
        name_word,     // one of the words of the name, which "_" separates
        name_words,    // these words, next to each other, in the name
        value_prefix,  // the value starts with it, and is as long as `least`
        value_inside,  // the value holds it
    };
    Where where;
    std::string_view text;
    size_t least;  // characters of the value
};

std::span<const CredentialPattern> credential_patterns();

}  // namespace hardrun::config
