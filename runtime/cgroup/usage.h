// SPDX-License-Identifier: Apache-2.0
// The parts that the statistics of v1 and v2 share: reading numbers out of a group's files, and
// runc's JSON for them. Internal to stats_v1.cc and stats_v2.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/json_writer.h"
#include "runtime/cgroup/files.h"

namespace hardrun::cgroup {

using Numbers = std::map<std::string, uint64_t>;

// "key value" a line, as in memory.stat and cpu.stat.
Numbers parse_numbers(std::string_view text);

// "0-2,5" -> 0 1 2 5; as in cpuset.cpus.
std::vector<uint64_t> parse_list(std::string_view text);

uint64_t value_of(const Numbers& numbers, const std::string& key);

// One group's files. What is missing reads as empty or 0, which is runc's answer to a kernel
// without the feature; "max" reads as UINT64_MAX.
class GroupReader {
  public:
    GroupReader(Files& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

    bool there() const { return !folder_.empty(); }
    std::string text(const std::string& file) const;
    uint64_t number(const std::string& file) const;
    Numbers numbers(const std::string& file) const { return parse_numbers(text(file)); }

  private:
    Files& files_;
    std::string folder_;  // empty: no such controller
};

struct MemoryEntry {
    uint64_t limit = 0;
    uint64_t usage = 0;
    uint64_t max = 0;
    uint64_t failcnt = 0;
};

struct BlkioEntry {
    uint64_t major = 0;
    uint64_t minor = 0;
    std::string op;
    uint64_t value = 0;
};

// runc leaves a value out where it is 0.
void unless_zero(json::Writer& out, std::string_view name, uint64_t value);
void write_list(json::Writer& out, std::string_view name, const std::vector<uint64_t>& values);
void write_memory(json::Writer& out, std::string_view name, const MemoryEntry& entry);
void write_blkio(json::Writer& out, std::string_view name, const std::vector<BlkioEntry>& entries);
void write_throttling(json::Writer& out, uint64_t periods, uint64_t throttled, uint64_t time_ns);

// The hugepage sizes of all architectures: a group has files for those of this one.
const std::vector<std::string>& page_sizes();

}  // namespace hardrun::cgroup
