// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/quantities.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace hardrun::cli {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

// Further spellings of these are cut to one letter before.
constexpr auto kSizes = std::to_array<Unit>({
    {"", 1},
    {"k", 1024.0},
    {"m", 1024.0 * 1024},
    {"g", 1024.0 * 1024 * 1024},
    {"t", 1024.0 * 1024 * 1024 * 1024},
    {"p", 1024.0 * 1024 * 1024 * 1024 * 1024},
});

constexpr auto kTimes = std::to_array<Unit>({
    {"h", 3'600'000},
    {"m", 60'000},
    {"s", 1000},
    {"ms", 1},
    {"us", 1e-3},
    {"\xC2\xB5s", 1e-3},  // the micro sign
    {"ns", 1e-6},
});

Error not_a(std::string_view kind, std::string_view text) {
    return Error(Errc::bad_config,
                 "expected " + std::string(kind) + ", got \"" + std::string(text) + "\"");
}

// The number at the front, which goes from `text`. Digits and one dot only: no sign, no exponent.
std::optional<double> take_number(std::string_view& text) {
    const std::string_view digits =
        text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || digits.empty() || end != digits.data() + digits.size())
        return std::nullopt;
    text.remove_prefix(digits.size());
    return value;
}

template <size_t N>
std::optional<double> factor_of(const std::array<Unit, N>& units, std::string_view name) {
    const auto it = std::ranges::find(units, name, &Unit::name);
    return it != units.end() ? std::optional<double>(it->factor) : std::nullopt;
}

std::optional<int64_t> whole(double value) {
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    if (!(value >= 0) || value >= kEnd)
        return std::nullopt;
    return static_cast<int64_t>(value);
}

std::string size_unit(std::string_view suffix) {
    std::string unit;
    for (const char c : suffix)
        unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (unit.size() > 1 && unit.ends_with("ib"))
        unit.resize(unit.size() - 2);
    else if (unit.ends_with('b'))
        unit.pop_back();
    return unit;
}

}  // namespace

Result<int64_t> parse_bytes(std::string_view text) {
    std::string_view rest = text;
    const auto number = take_number(rest);
    if (rest.starts_with(' '))
        rest.remove_prefix(1);
    const auto factor = factor_of(kSizes, size_unit(rest));
    const auto bytes = number && factor ? whole(*number * *factor) : std::nullopt;
    if (!bytes)
        return not_a("a size like 64m", text);
    return *bytes;
}

Result<int64_t> parse_limit(std::string_view text) {
    return text == "-1" ? Result<int64_t>(int64_t{-1}) : parse_bytes(text);
}

Result<int64_t> parse_duration_ms(std::string_view text) {
    constexpr std::string_view kKind = "a time like 5s or 500ms, above 0";
    double total = 0;
    std::string_view rest = text;
    do {
        const auto number = take_number(rest);
        const std::string_view unit =
            rest.substr(0, std::min(rest.find_first_of("0123456789."), rest.size()));
        const auto factor = factor_of(kTimes, unit);
        if (!number || !factor)
            return not_a(kKind, text);
        rest.remove_prefix(unit.size());
        total += *number * *factor;
    } while (!rest.empty());
    const auto milliseconds = whole(std::ceil(total));
    if (!milliseconds || *milliseconds == 0)
        return not_a(kKind, text);
    return *milliseconds;
}

}  // namespace hardrun::cli
