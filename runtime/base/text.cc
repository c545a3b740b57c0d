// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/text.h"

#include <array>
#include <cstdio>

namespace hardrun {
namespace {

// Length of the UTF-8 sequence at the start of `s`, or 0 where there is no valid one (RFC 3629).
size_t utf8_length(std::string_view s) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
    const auto follows = [&](size_t n) {
        if (s.size() < n)
            return false;
        for (size_t i = 1; i < n; ++i)
            if ((byte(i) & 0xC0) != 0x80)
                return false;
        return true;
    };
    const unsigned char b = byte(0);
    if (b < 0x80)
        return 1;
    if (b >= 0xC2 && b <= 0xDF)
        return follows(2) ? 2 : 0;
    if (b >= 0xE0 && b <= 0xEF) {
        if (!follows(3) || (b == 0xE0 && byte(1) < 0xA0) || (b == 0xED && byte(1) > 0x9F))
            return 0;
        return 3;
    }
    if (b >= 0xF0 && b <= 0xF4) {
        if (!follows(4) || (b == 0xF0 && byte(1) < 0x90) || (b == 0xF4 && byte(1) > 0x8F))
            return 0;
        return 4;
    }
    return 0;
}

void quote_ascii(char c, std::string& out) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
        out += c;
        return;
    }
    std::array<char, 8> hex{};
    (void)std::snprintf(hex.data(), hex.size(), "\\u%04x", byte);
    out += hex.data();
}

}  // namespace

std::string json_quote(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const size_t n = utf8_length(text);
        if (n == 1)
            quote_ascii(text[0], out);
        else if (n == 0)
            out += "\\ufffd";
        else
            out += text.substr(0, n);
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return out + "\"";
}

bool valid_utf8(std::string_view text) {
    while (!text.empty()) {
        const size_t n = utf8_length(text);
        if (n == 0)
            return false;
        text.remove_prefix(n);
    }
    return true;
}

std::optional<uint64_t> parse_decimal(std::string_view text, uint64_t max) {
    if (text.empty() || text.size() > 20)
        return std::nullopt;
    uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9')
            return std::nullopt;
        const auto digit = static_cast<uint64_t>(c - '0');
        if (value > (max - digit) / 10)
            return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix(at + 1);
    }
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string clean_path(std::string_view path) {
    const bool absolute = path.starts_with('/');
    std::vector<std::string_view> kept;
    for (const std::string_view part : split(path, '/')) {
        if (part.empty() || part == ".")
            continue;
        const bool up = part == "..";
        if (up && !kept.empty() && kept.back() != "..")
            kept.pop_back();
        else if (!up || !absolute)
            kept.push_back(part);
    }
    std::string out = absolute ? "/" : "";
    for (const std::string_view part : kept) {
        if (!out.empty() && out.back() != '/')
            out += '/';
        out += part;
    }
    return out.empty() ? "." : out;
}

}  // namespace hardrun
