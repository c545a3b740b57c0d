// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/text.h"
#include "runtime/cgroup/kill.h"
#include "runtime/cgroup/stats.h"
#include "runtime/cgroup/usage.h"

namespace hardrun::cgroup {
namespace {

constexpr uint64_t kTickNs = 10'000'000;  // cpuacct.stat counts hundredths of a second (USER_HZ)

struct PerCpu {
    std::vector<uint64_t> user;
    std::vector<uint64_t> kernel;
};

// "cpu user system", then a line for each cpu.
PerCpu parse_usage_all(std::string_view text) {
    PerCpu out;
    for (const std::string_view line : split(text, '\n')) {
        const auto words = split(trim(line), ' ');
        if (words.size() < 3 || words[0] == "cpu")
            continue;
        out.user.push_back(parse_decimal(words[1]).value_or(0));
        out.kernel.push_back(parse_decimal(words[2]).value_or(0));
    }
    return out;
}

std::vector<uint64_t> parse_row(std::string_view text) {
    std::vector<uint64_t> out;
    for (const std::string_view word : split(trim(text), ' '))
        if (const auto value = parse_decimal(word))
            out.push_back(*value);
    return out;
}

void cpu(json::Writer& out, const GroupReader& cpu, const GroupReader& cpuacct) {
    const Numbers ticks = cpuacct.numbers("cpuacct.stat");
    const PerCpu each = parse_usage_all(cpuacct.text("cpuacct.usage_all"));
    out.key("cpu").begin_object().key("usage").begin_object();
    unless_zero(out, "total", cpuacct.number("cpuacct.usage"));
    write_list(out, "percpu", parse_row(cpuacct.text("cpuacct.usage_percpu")));
    write_list(out, "percpu_kernel", each.kernel);
    write_list(out, "percpu_user", each.user);
    out.field("kernel", value_of(ticks, "system") * kTickNs);
    out.field("user", value_of(ticks, "user") * kTickNs).end_object();
    const Numbers stat = cpu.numbers("cpu.stat");
    write_throttling(out, value_of(stat, "nr_periods"), value_of(stat, "nr_throttled"),
                     value_of(stat, "throttled_time"));
    out.end_object();
}

void cpuset(json::Writer& out, const GroupReader& group) {
    out.key("cpuset").begin_object();
    write_list(out, "cpus", parse_list(group.text("cpuset.cpus")));
    out.field("cpu_exclusive", group.number("cpuset.cpu_exclusive"));
    write_list(out, "mems", parse_list(group.text("cpuset.mems")));
    for (const char* name :
         {"mem_hardwall", "mem_exclusive", "memory_migrate", "memory_spread_page",
          "memory_spread_slab", "memory_pressure", "sched_load_balance"})
        out.field(name, group.number(std::string("cpuset.") + name));
    const std::string level = group.text("cpuset.sched_relax_domain_level");
    if (trim(level) == "-1")
        out.field("sched_relax_domain_level", -1);
    else
        out.field("sched_relax_domain_level", parse_decimal(trim(level)).value_or(0));
    out.end_object();
}

MemoryEntry memory_entry(const GroupReader& group, const std::string& prefix) {
    return {group.number(prefix + ".limit_in_bytes"), group.number(prefix + ".usage_in_bytes"),
            group.number(prefix + ".max_usage_in_bytes"), group.number(prefix + ".failcnt")};
}

void memory(json::Writer& out, const GroupReader& group) {
    const Numbers raw = group.numbers("memory.stat");
    out.key("memory").begin_object();
    unless_zero(out, "cache", value_of(raw, "cache"));
    write_memory(out, "usage", memory_entry(group, "memory"));
    write_memory(out, "swap", memory_entry(group, "memory.memsw"));
    write_memory(out, "kernel", memory_entry(group, "memory.kmem"));
    write_memory(out, "kernelTCP", memory_entry(group, "memory.kmem.tcp"));
    if (!raw.empty()) {
        out.key("raw").begin_object();
        for (const auto& [name, value] : raw)
            out.field(name, value);
        out.end_object();
    }
    out.end_object();
}

// "8:0 Read 4096" or, without an operation, "8:0 4096"; the sum at the end is not taken.
std::vector<BlkioEntry> parse_blkio(std::string_view text) {
    std::vector<BlkioEntry> out;
    for (const std::string_view line : split(text, '\n')) {
        const auto words = split(trim(line), ' ');
        const size_t colon = words[0].find(':');
        if (colon == std::string_view::npos || words.size() < 2)
            continue;
        out.push_back({parse_decimal(words[0].substr(0, colon)).value_or(0),
                       parse_decimal(words[0].substr(colon + 1)).value_or(0),
                       words.size() > 2 ? std::string(words[1]) : "",
                       parse_decimal(words.back()).value_or(0)});
    }
    return out;
}

// Which file counts depends on the scheduler of the kernel; the first that has numbers is it.
std::vector<BlkioEntry> blkio_entries(const GroupReader& group, const std::string& name) {
    for (const char* prefix : {"blkio.bfq.", "blkio.", "blkio.throttle."}) {
        auto entries = parse_blkio(group.text(prefix + name + "_recursive"));
        if (!entries.empty())
            return entries;
    }
    return parse_blkio(group.text("blkio.throttle." + name));
}

void blkio(json::Writer& out, const GroupReader& group) {
    out.key("blkio").begin_object();
    const std::pair<const char*, const char*> names[] = {
        {"ioServiceBytesRecursive", "io_service_bytes"},
        {"ioServicedRecursive", "io_serviced"},
        {"ioQueueRecursive", "io_queued"},
        {"ioServiceTimeRecursive", "io_service_time"},
        {"ioWaitTimeRecursive", "io_wait_time"},
        {"ioMergedRecursive", "io_merged"},
        {"ioTimeRecursive", "time"},
        {"sectorsRecursive", "sectors"}};
    for (const auto& [key, name] : names)
        write_blkio(out, key, blkio_entries(group, name));
    out.end_object();
}

void hugetlb(json::Writer& out, const GroupReader& group) {
    out.key("hugetlb").begin_object();
    for (const std::string& size : page_sizes()) {
        const std::string prefix = "hugetlb." + size;
        if (group.text(prefix + ".usage_in_bytes").empty())
            continue;
        out.key(size).begin_object();
        unless_zero(out, "usage", group.number(prefix + ".usage_in_bytes"));
        unless_zero(out, "max", group.number(prefix + ".max_usage_in_bytes"));
        out.field("failcnt", group.number(prefix + ".failcnt")).end_object();
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

}  // namespace

Result<std::string> stats_v1(Files& files, const Folders& folders) {
    const std::string* processes = process_folder(folders);
    if (processes == nullptr)
        return Error(Errc::unsupported, "the container has no cgroup to take statistics from");
    HARDRUN_TRY(const std::string there, files.read(*processes, "cgroup.procs"));
    const auto group = [&](const std::string& controller) {
        const auto found = folders.find(controller);
        return GroupReader(files, found == folders.end() ? "" : found->second);
    };
    json::Writer out;
    out.begin_object();
    cpu(out, group("cpu"), group("cpuacct"));
    cpuset(out, group("cpuset"));
    memory(out, group("memory"));
    pids(out, group("pids"));
    blkio(out, group("blkio"));
    hugetlb(out, group("hugetlb"));
    out.key("intel_rdt").begin_object().end_object();
    out.key("network_interfaces").null();
    out.end_object();
    return out.take();
}

}  // namespace hardrun::cgroup
