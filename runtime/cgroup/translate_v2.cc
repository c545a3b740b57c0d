// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/translate_v2.h"

#include "runtime/base/text.h"
#include "runtime/cgroup/scales.h"

namespace hardrun::cgroup {
namespace {

using Writes = std::vector<Write>;

constexpr const char* kCpu = "linux.resources.cpu.";
constexpr const char* kMemory = "linux.resources.memory.";
constexpr const char* kBlock = "linux.resources.blockIO.";

// One value leaves the period as it is; there is no way to write the period alone.
std::string cpu_max(const config::Cpu& c, const V2Now& now) {
    std::string quota(split(trim(now.cpu_max), ' ')[0]);
    if (given(c.quota))
        quota = limit_text(*c.quota);
    return given(c.period) ? quota + " " + std::to_string(*c.period) : quota;
}

// The realtime pair does not exist on v2.
void cpu(Writes& out, const config::Cpu& c, const V2Now& now) {
    if (given(c.shares))
        out.push_back({"", "cpu.weight", std::to_string(weight_from_shares(*c.shares)),
                       kCpu + std::string("shares")});
    const bool max = given(c.quota) || given(c.period);
    if (c.burst)
        out.push_back({"", "cpu.max.burst", std::to_string(*c.burst), kCpu + std::string("burst"),
                       max ? OnFailure::retry_last : OnFailure::report});
    if (max)
        out.push_back({"", "cpu.max", cpu_max(c, now),
                       kCpu + std::string(given(c.quota) ? "quota" : "period"),
                       c.burst ? OnFailure::retry_last : OnFailure::report});
    if (c.idle)
        out.push_back({"", "cpu.idle", std::to_string(*c.idle), kCpu + std::string("idle")});
    if (c.cpus && !c.cpus->empty())
        out.push_back({"", "cpuset.cpus", *c.cpus, kCpu + std::string("cpus")});
    if (c.mems && !c.mems->empty())
        out.push_back({"", "cpuset.mems", *c.mems, kCpu + std::string("mems")});
}

int64_t number_or_unlimited(const std::string& text) {
    const auto value = parse_decimal(trim(text), INT64_MAX);
    return value ? static_cast<int64_t>(*value) : -1;
}

Status memory(Writes& out, const config::Memory& m, const V2Now& now) {
    const int64_t limit = m.limit.value_or(0);
    const int64_t both = m.swap.value_or(0);
    const int64_t base = limit == 0 && both > 0 ? number_or_unlimited(now.memory_max) : limit;
    HARDRUN_TRY(const int64_t swap, swap_without_memory(both, base));
    if (swap != 0 || both > 0) {
        // Where the kernel has no swap accounting, "unlimited" and "none" are true anyway.
        const bool moot = swap <= 0;
        out.push_back({"", "memory.swap.max", limit_text(swap), kMemory + std::string("swap"),
                       moot ? OnFailure::skip_missing : OnFailure::report});
    }
    if (limit != 0)
        out.push_back({"", "memory.max", limit_text(limit), kMemory + std::string("limit")});
    if (given(m.reservation))
        out.push_back(
            {"", "memory.low", limit_text(*m.reservation), kMemory + std::string("reservation")});
    return {};
}

void throttle(Writes& out, const std::vector<config::BlkioThrottle>& devices,
              const std::string& key, const std::string& field) {
    for (const config::BlkioThrottle& d : devices)
        out.push_back({"", "io.max",
                       device_text(d.major, d.minor) + " " + key + "=" +
                           (d.rate == 0 ? "max" : std::to_string(d.rate)),
                       std::string(kBlock) + field});
}

// With the BFQ scheduler the weight is v1's own scale in a file of its own.
void weight(Writes& out, const std::string& device, uint16_t value) {
    out.push_back({"", "io.bfq.weight", device + std::to_string(value),
                   kBlock + std::string("weight"), OnFailure::report, "io.weight",
                   device + std::to_string(io_weight_from_blkio(value))});
}

void block_io(Writes& out, const config::BlockIo& io) {
    if (given(io.weight))
        weight(out, "", *io.weight);
    for (const config::BlkioWeightDevice& d : io.weight_device)
        if (given(d.weight))
            weight(out, device_text(d.major, d.minor) + " ", *d.weight);
    throttle(out, io.read_bps, "rbps", "throttleReadBpsDevice");
    throttle(out, io.write_bps, "wbps", "throttleWriteBpsDevice");
    throttle(out, io.read_iops, "riops", "throttleReadIOPSDevice");
    throttle(out, io.write_iops, "wiops", "throttleWriteIOPSDevice");
}

void hugepages(Writes& out, const std::vector<config::HugepageLimit>& limits) {
    const std::string field = "linux.resources.hugepageLimits";
    for (const config::HugepageLimit& page : limits) {
        const std::string prefix = "hugetlb." + page.page_size;
        const std::string value = std::to_string(page.limit);
        out.push_back({"", prefix + ".max", value, field});
        out.push_back({"", prefix + ".rsvd.max", value, field, OnFailure::skip_missing});
    }
}

// `unified` sets limits. The group's own files move, freeze or kill processes instead:
// "cgroup.procs" with the value 1 would put the host's init into the container.
bool is_limit(const std::string& file) {
    if (file.starts_with("cgroup."))
        return file == "cgroup.max.descendants" || file == "cgroup.max.depth" ||
               file == "cgroup.pressure";
    const size_t dot = file.find('.');
    return dot != std::string::npos && dot != 0 && file.find('/') == std::string::npos;
}

Status unified(Translation& out, const std::map<std::string, std::string>& values) {
    for (const auto& [file, value] : values) {
        const std::string field = "linux.resources.unified[\"" + file + "\"]";
        if (!is_limit(file))
            return Error(Errc::bad_config,
                         field + ": is no limit; expected CONTROLLER.PARAMETER, like memory.high");
        const bool late = file.starts_with("memory.") || file.starts_with("pids.");
        (late ? out.late : out.early).push_back({"", file, value, field});
    }
    return {};
}

}  // namespace

Result<Translation> translate_v2(const config::Resources& resources, const V2Now& now) {
    HARDRUN_CHECK(check_ranges(resources));
    Translation out;
    if (resources.cpu)
        cpu(out.early, *resources.cpu, now);
    if (resources.block_io)
        block_io(out.early, *resources.block_io);
    hugepages(out.early, resources.hugepage_limits);
    if (resources.memory)
        HARDRUN_CHECK(memory(out.late, *resources.memory, now));
    if (resources.pids_limit)
        out.late.push_back({"", "pids.max", limit_text(pids_limit(*resources.pids_limit)),
                            "linux.resources.pids.limit"});
    HARDRUN_CHECK(unified(out, resources.unified));
    return out;
}

}  // namespace hardrun::cgroup
