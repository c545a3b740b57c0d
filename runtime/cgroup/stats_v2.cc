// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/text.h"
#include "runtime/cgroup/stats.h"
#include "runtime/cgroup/usage.h"

namespace hardrun::cgroup {
namespace {

void cpu(json::Writer& out, const GroupReader& group) {
    const Numbers stat = group.numbers("cpu.stat");
    const auto ns = [&](const char* key) { return value_of(stat, key) * 1000; };
    out.key("cpu").begin_object().key("usage").begin_object();
    unless_zero(out, "total", ns("usage_usec"));
    out.field("kernel", ns("system_usec")).field("user", ns("user_usec")).end_object();
    write_throttling(out, value_of(stat, "nr_periods"), value_of(stat, "nr_throttled"),
                     ns("throttled_usec"));
    out.end_object();
}

// The object is v1's; on v2 runc fills nothing of it in.
void cpuset(json::Writer& out) {
    out.key("cpuset").begin_object();
    for (const char* name : {"cpu_exclusive", "mem_hardwall", "mem_exclusive", "memory_migrate",
                             "memory_spread_page", "memory_spread_slab", "memory_pressure",
                             "sched_load_balance", "sched_relax_domain_level"})
        out.field(name, 0);
    out.end_object();
}

// Swap is reported as memory and swap together, which is what its name means on v1.
MemoryEntry with_memory(MemoryEntry swap, const MemoryEntry& memory) {
    swap.usage += memory.usage;
    if (swap.limit != UINT64_MAX)
        swap.limit = memory.limit == UINT64_MAX ? UINT64_MAX : swap.limit + memory.limit;
    return swap;
}

void memory(json::Writer& out, const GroupReader& group) {
    const Numbers raw = group.numbers("memory.stat");
    const uint64_t failures = value_of(group.numbers("memory.events"), "max");
    const MemoryEntry usage{group.number("memory.max"), group.number("memory.current"),
                            group.number("memory.peak"), failures};
    const MemoryEntry swap{group.number("memory.swap.max"), group.number("memory.swap.current"), 0,
                           0};
    out.key("memory").begin_object();
    unless_zero(out, "cache", value_of(raw, "file"));
    write_memory(out, "usage", usage);
    write_memory(out, "swap", with_memory(swap, usage));
    write_memory(out, "kernel", {});
    write_memory(out, "kernelTCP", {});
    if (!raw.empty()) {
        out.key("raw").begin_object();
        for (const auto& [name, value] : raw)
            out.field(name, value);
        out.end_object();
    }
    out.end_object();
}

void pids(json::Writer& out, const GroupReader& group) {
    const uint64_t limit = group.number("pids.max");
    out.key("pids").begin_object();
    unless_zero(out, "current", group.number("pids.current"));
    unless_zero(out, "limit", limit == UINT64_MAX ? 0 : limit);
    out.end_object();
}

struct IoStats {
    std::vector<BlkioEntry> bytes;
    std::vector<BlkioEntry> operations;
};

// "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6"
IoStats parse_io(std::string_view text) {
    IoStats out;
    for (const std::string_view line : split(text, '\n')) {
        const auto words = split(trim(line), ' ');
        const size_t colon = words[0].find(':');
        if (colon == std::string_view::npos)
            continue;
        BlkioEntry entry{parse_decimal(words[0].substr(0, colon)).value_or(0),
                         parse_decimal(words[0].substr(colon + 1)).value_or(0), "", 0};
        for (const std::string_view word : words) {
            const size_t equals = word.find('=');
            if (equals == std::string_view::npos)
                continue;
            const std::string_view name = word.substr(0, equals);
            entry.value = parse_decimal(word.substr(equals + 1)).value_or(0);
            entry.op = name[0] == 'r' ? "Read" : name[0] == 'w' ? "Write" : "Discard";
            if (name == "rbytes" || name == "wbytes" || name == "dbytes")
                out.bytes.push_back(entry);
            else if (name == "rios" || name == "wios" || name == "dios")
                out.operations.push_back(entry);
        }
    }
    return out;
}

void hugetlb(json::Writer& out, const GroupReader& group) {
    out.key("hugetlb").begin_object();
    for (const std::string& size : page_sizes()) {
        const std::string prefix = "hugetlb." + size;
        if (group.text(prefix + ".current").empty())
            continue;
        out.key(size).begin_object();
        unless_zero(out, "usage", group.number(prefix + ".current"));
        out.field("failcnt", value_of(group.numbers(prefix + ".events"), "max")).end_object();
    }
    out.end_object();
}

}  // namespace

Result<std::string> stats_v2(Files& files, const std::string& folder) {
    HARDRUN_TRY(const std::string there, files.read(folder, "cgroup.events"));
    const GroupReader group(files, folder);
    json::Writer out;
    out.begin_object();
    cpu(out, group);
    cpuset(out);
    memory(out, group);
    pids(out, group);
    const IoStats io = parse_io(group.text("io.stat"));
    out.key("blkio").begin_object();
    write_blkio(out, "ioServiceBytesRecursive", io.bytes);
    write_blkio(out, "ioServicedRecursive", io.operations);
    out.end_object();
    hugetlb(out, group);
    out.key("intel_rdt").begin_object().end_object();
    out.key("network_interfaces").null();
    out.end_object();
    return out.take();
}

}  // namespace hardrun::cgroup
