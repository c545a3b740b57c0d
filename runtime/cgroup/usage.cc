// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/usage.h"

#include "runtime/base/text.h"

namespace hardrun::cgroup {

Numbers parse_numbers(std::string_view text) {
    Numbers numbers;
    for (const std::string_view line : split(text, '\n')) {
        const size_t space = line.find(' ');
        if (space == std::string_view::npos)
            continue;
        if (const auto value = parse_decimal(trim(line.substr(space + 1))))
            numbers.emplace(line.substr(0, space), *value);
    }
    return numbers;
}

std::vector<uint64_t> parse_list(std::string_view text) {
    constexpr uint64_t kMost = 65535;  // a cpu number is 16 bits in runc's JSON
    std::vector<uint64_t> out;
    for (const std::string_view part : split(trim(text), ',')) {
        const size_t dash = part.find('-');
        const auto first = parse_decimal(part.substr(0, dash), kMost);
        const auto last =
            dash == std::string_view::npos ? first : parse_decimal(part.substr(dash + 1), kMost);
        if (!first || !last)
            continue;
        for (uint64_t n = *first; n <= *last; ++n)
            out.push_back(n);
    }
    return out;
}

uint64_t value_of(const Numbers& numbers, const std::string& key) {
    const auto found = numbers.find(key);
    return found == numbers.end() ? 0 : found->second;
}

std::string GroupReader::text(const std::string& file) const {
    if (!there())
        return {};
    const Result<std::string> text = files_.read(folder_, file);
    return text ? *text : std::string();
}

uint64_t GroupReader::number(const std::string& file) const {
    const std::string content = text(file);
    const std::string_view value = trim(content);
    return value == "max" ? UINT64_MAX : parse_decimal(value).value_or(0);
}

void unless_zero(json::Writer& out, std::string_view name, uint64_t value) {
    if (value != 0)
        out.field(name, value);
}

void write_list(json::Writer& out, std::string_view name, const std::vector<uint64_t>& values) {
    if (values.empty())
        return;
    out.key(name).begin_array();
    for (const uint64_t value : values)
        out.value(value);
    out.end_array();
}

void write_memory(json::Writer& out, std::string_view name, const MemoryEntry& entry) {
    out.key(name).begin_object().field("limit", entry.limit);
    unless_zero(out, "usage", entry.usage);
    unless_zero(out, "max", entry.max);
    out.field("failcnt", entry.failcnt).end_object();
}

void write_blkio(json::Writer& out, std::string_view name, const std::vector<BlkioEntry>& entries) {
    if (entries.empty())
        return;
    out.key(name).begin_array();
    for (const BlkioEntry& entry : entries) {
        out.begin_object();
        unless_zero(out, "major", entry.major);
        unless_zero(out, "minor", entry.minor);
        if (!entry.op.empty())
            out.field("op", entry.op);
        unless_zero(out, "value", entry.value);
        out.end_object();
    }
    out.end_array();
}

void write_throttling(json::Writer& out, uint64_t periods, uint64_t throttled, uint64_t time_ns) {
    out.key("throttling").begin_object();
    unless_zero(out, "periods", periods);
    unless_zero(out, "throttledPeriods", throttled);
    unless_zero(out, "throttledTime", time_ns);
    out.end_object();
}

const std::vector<std::string>& page_sizes() {
    static const std::vector<std::string> sizes = {"16KB", "64KB",  "1MB", "2MB", "4MB", "16MB",
                                                   "32MB", "512MB", "1GB", "2GB", "16GB"};
    return sizes;
}

}  // namespace hardrun::cgroup
