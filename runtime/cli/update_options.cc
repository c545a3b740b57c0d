// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/update_options.h"

#include <array>
#include <charconv>

#include "config/read_spec.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/cli/quantities.h"

namespace hardrun::cli {
namespace {

using config::Cpu;
using config::Memory;

struct CpuCount {
    const char* name;
    const char* help;
    std::optional<uint64_t> Cpu::*field;
};
constexpr auto kCpuCounts = std::to_array<CpuCount>({
    {"cpu-burst", "microseconds that may be saved up beyond the quota", &Cpu::burst},
    {"cpu-period", "microseconds of one period of the quota", &Cpu::period},
    {"cpu-rt-period", "microseconds of one realtime period", &Cpu::realtime_period},
    {"cpu-share", "weight against other containers, 2 to 262144", &Cpu::shares},
});

struct CpuLimit {
    const char* name;
    const char* help;
    std::optional<int64_t> Cpu::*field;
};
constexpr auto kCpuLimits = std::to_array<CpuLimit>({
    {"cpu-idle", "1: only when nobody else wants the cpu", &Cpu::idle},
    {"cpu-quota", "microseconds of cpu time per period, -1: no limit", &Cpu::quota},
    {"cpu-rt-runtime", "realtime microseconds per realtime period", &Cpu::realtime_runtime},
});

struct CpuList {
    const char* name;
    const char* help;
    std::optional<std::string> Cpu::*field;
};
constexpr auto kCpuLists = std::to_array<CpuList>({
    {"cpuset-cpus", "cpus to use, like 0-3,7", &Cpu::cpus},
    {"cpuset-mems", "memory nodes to use", &Cpu::mems},
});

struct MemoryLimit {
    const char* name;
    const char* help;
    std::optional<int64_t> Memory::*field;
};
constexpr auto kMemoryLimits = std::to_array<MemoryLimit>({
    {"kernel-memory", "ignored: kernels have no such limit any more", &Memory::kernel},
    {"kernel-memory-tcp", "limit of TCP buffers (cgroup v1)", &Memory::kernel_tcp},
    {"memory", "limit in bytes or like 64m, -1: none", &Memory::limit},
    {"memory-reservation", "soft limit", &Memory::reservation},
    {"memory-swap", "limit of memory and swap together, -1: none", &Memory::swap},
});

template <class T>
Result<T> parse_whole(const std::string& name, const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return Error(Errc::bad_config, "invalid value for --" + name +
                                           ": expected a whole number, got \"" + text + "\"");
    return value;
}

template <class T, class Rows>
Status read_numbers(const Options& o, const Rows& rows, std::optional<Cpu>& out) {
    for (const auto& row : rows) {
        const std::string text = o.text(row.name);
        if (text.empty())
            continue;
        HARDRUN_TRY(const T value, parse_whole<T>(row.name, text));
        if (!out)
            out.emplace();
        (*out).*row.field = value;
    }
    return {};
}

Status read_memory(const Options& o, std::optional<Memory>& out) {
    for (const MemoryLimit& row : kMemoryLimits) {
        const std::string text = o.text(row.name);
        if (text.empty())
            continue;
        HARDRUN_TRY(const int64_t bytes,
                    parse_limit(text).context(std::string("invalid value for --") + row.name));
        if (!out)
            out.emplace();
        (*out).*row.field = bytes;
    }
    return {};
}

void read_lists(const Options& o, std::optional<Cpu>& out) {
    for (const CpuList& row : kCpuLists) {
        const std::string text = o.text(row.name);
        if (text.empty())
            continue;
        if (!out)
            out.emplace();
        (*out).*row.field = text;
    }
}

Status refuse_cache(const Options& o) {
    for (const char* name : {"l3-cache-schema", "mem-bw-schema"})
        if (o.is_set(name))
            return Error(Errc::unsupported,
                         "--" + std::string(name) +
                             ": Intel RDT is not supported by this version of hardrun; leave the "
                             "option out");
    return {};
}

void warn_of_kernel_memory(const config::Resources& resources) {
    if (resources.memory && resources.memory->kernel.value_or(0) != 0)
        log::warning("the limit of kernel memory is ignored: kernels have none any more");
}

}  // namespace

void add_update_options(Options& o) {
    o.add_text("resources,r", "file with a resources object of config.json, - for standard input");
    o.add_text("blkio-weight", "weight against other containers, 10 to 1000");
    for (const CpuCount& row : kCpuCounts)
        o.add_text(row.name, row.help);
    for (const CpuLimit& row : kCpuLimits)
        o.add_text(row.name, row.help);
    for (const CpuList& row : kCpuLists)
        o.add_text(row.name, row.help);
    for (const MemoryLimit& row : kMemoryLimits)
        o.add_text(row.name, row.help);
    o.add_text("pids-limit", "limit of processes and threads, -1: none");
    o.add_text("l3-cache-schema", "not supported");
    o.add_text("mem-bw-schema", "not supported");
}

Result<config::Resources> resources_from_options(const Options& o) {
    HARDRUN_CHECK(refuse_cache(o));
    config::Resources out;
    HARDRUN_CHECK(read_numbers<uint64_t>(o, kCpuCounts, out.cpu));
    HARDRUN_CHECK(read_numbers<int64_t>(o, kCpuLimits, out.cpu));
    read_lists(o, out.cpu);
    HARDRUN_CHECK(read_memory(o, out.memory));
    if (const std::string text = o.text("blkio-weight"); !text.empty()) {
        HARDRUN_TRY(const uint16_t weight, parse_whole<uint16_t>("blkio-weight", text));
        out.block_io.emplace().weight = weight;
    }
    if (const std::string text = o.text("pids-limit"); !text.empty()) {
        HARDRUN_TRY(out.pids_limit, parse_whole<int64_t>("pids-limit", text));
    }
    warn_of_kernel_memory(out);
    return out;
}

Result<config::Resources> resources_from_document(std::string_view json) {
    config::Notes notes;
    HARDRUN_TRY(config::Resources given, config::read_resources(json, notes));
    for (const std::string& warning : notes.warnings)
        log::warning("--resources: " + warning);
    config::Resources out;
    out.cpu = given.cpu;
    if (given.memory)
        out.memory = Memory{.limit = given.memory->limit,
                            .reservation = given.memory->reservation,
                            .swap = given.memory->swap,
                            .kernel = given.memory->kernel,
                            .kernel_tcp = given.memory->kernel_tcp,
                            .check_before_update = given.memory->check_before_update};
    if (given.block_io)
        out.block_io.emplace().weight = given.block_io->weight;
    if (given.pids_limit != 0)
        out.pids_limit = given.pids_limit;
    out.unified = std::move(given.unified);
    warn_of_kernel_memory(out);
    return out;
}

}  // namespace hardrun::cli
