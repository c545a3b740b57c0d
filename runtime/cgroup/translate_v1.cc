// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/translate_v1.h"

#include "runtime/cgroup/scales.h"

namespace hardrun::cgroup {
namespace {

using Writes = std::vector<Write>;

constexpr const char* kCpu = "linux.resources.cpu.";
constexpr const char* kMemory = "linux.resources.memory.";
constexpr const char* kBlock = "linux.resources.blockIO.";

// Quota and period (and the realtime pair) limit each other: when one does not fit the other's old
// value, its second try after the other is the one that counts.
void cpu(Writes& out, const config::Cpu& c) {
    if (given(c.shares))
        out.push_back(
            {"cpu", "cpu.shares", std::to_string(*c.shares), kCpu + std::string("shares")});
    if (given(c.period))
        out.push_back({"cpu", "cpu.cfs_period_us", std::to_string(*c.period),
                       kCpu + std::string("period"),
                       given(c.quota) ? OnFailure::retry_last : OnFailure::report});
    if (c.burst)
        out.push_back({"cpu", "cpu.cfs_burst_us", std::to_string(*c.burst),
                       kCpu + std::string("burst"),
                       given(c.quota) ? OnFailure::retry_last : OnFailure::report});
    if (given(c.quota))
        out.push_back({"cpu", "cpu.cfs_quota_us", std::to_string(*c.quota),
                       kCpu + std::string("quota"),
                       c.burst ? OnFailure::retry_last : OnFailure::report});
    if (given(c.realtime_period))
        out.push_back({"cpu", "cpu.rt_period_us", std::to_string(*c.realtime_period),
                       kCpu + std::string("realtimePeriod"),
                       given(c.realtime_runtime) ? OnFailure::retry_last : OnFailure::report});
    if (given(c.realtime_runtime))
        out.push_back({"cpu", "cpu.rt_runtime_us", std::to_string(*c.realtime_runtime),
                       kCpu + std::string("realtimeRuntime")});
    if (c.idle)
        out.push_back({"cpu", "cpu.idle", std::to_string(*c.idle), kCpu + std::string("idle")});
    if (c.cpus && !c.cpus->empty())
        out.push_back({"cpuset", "cpuset.cpus", *c.cpus, kCpu + std::string("cpus")});
    if (c.mems && !c.mems->empty())
        out.push_back({"cpuset", "cpuset.mems", *c.mems, kCpu + std::string("mems")});
}

// The kernel keeps memory <= memory+swap at every moment, so the one that goes up goes first.
void memory_and_swap(Writes& out, const config::Memory& m, const V1Now& now) {
    const int64_t limit = m.limit.value_or(0);
    int64_t swap = m.swap.value_or(0);
    OnFailure swap_missing = OnFailure::report;
    if (limit == -1 && swap == 0) {
        swap = -1;
        swap_missing = OnFailure::skip_missing;  // nobody asked for it: a kernel without it will do
    }
    const Write memory_write{"memory", "memory.limit_in_bytes", std::to_string(limit),
                             kMemory + std::string("limit")};
    const Write swap_write{"memory", "memory.memsw.limit_in_bytes", std::to_string(swap),
                           kMemory + std::string("swap"), swap_missing};
    const bool swap_first =
        swap == -1 || (swap > 0 && now.memory_limit < static_cast<uint64_t>(swap));
    if (swap != 0 && swap_first)
        out.push_back(swap_write);
    if (limit != 0)
        out.push_back(memory_write);
    if (swap != 0 && !swap_first)
        out.push_back(swap_write);
}

// memory.kernel is gone from kernels and ignored, as by runc since 1.1.
void memory(Writes& out, const config::Memory& m, const V1Now& now) {
    memory_and_swap(out, m, now);
    if (given(m.kernel_tcp))
        out.push_back({"memory", "memory.kmem.tcp.limit_in_bytes", std::to_string(*m.kernel_tcp),
                       kMemory + std::string("kernelTCP")});
    if (given(m.reservation))
        out.push_back({"memory", "memory.soft_limit_in_bytes", std::to_string(*m.reservation),
                       kMemory + std::string("reservation")});
    if (m.disable_oom_killer.value_or(false))
        out.push_back(
            {"memory", "memory.oom_control", "1", kMemory + std::string("disableOOMKiller")});
    if (m.swappiness && *m.swappiness <= 100)
        out.push_back({"memory", "memory.swappiness", std::to_string(*m.swappiness),
                       kMemory + std::string("swappiness")});
}

void throttle(Writes& out, const std::vector<config::BlkioThrottle>& devices,
              const std::string& file, const std::string& field) {
    for (const config::BlkioThrottle& d : devices)
        out.push_back({"blkio", file, device_text(d.major, d.minor) + " " + std::to_string(d.rate),
                       std::string(kBlock) + field});
}

// The weight's file is named after the scheduler that the kernel has.
void weight(Writes& out, const std::string& value, const std::string& suffix) {
    out.push_back({"blkio", "blkio.weight" + suffix, value, kBlock + std::string("weight"),
                   OnFailure::report, "blkio.bfq.weight" + suffix, value});
}

void block_io(Writes& out, const config::BlockIo& io) {
    if (given(io.weight))
        weight(out, std::to_string(*io.weight), "");
    if (given(io.leaf_weight))
        out.push_back({"blkio", "blkio.leaf_weight", std::to_string(*io.leaf_weight),
                       kBlock + std::string("leafWeight")});
    for (const config::BlkioWeightDevice& d : io.weight_device) {
        const std::string device = device_text(d.major, d.minor) + " ";
        if (given(d.weight))
            weight(out, device + std::to_string(*d.weight), "_device");
        if (given(d.leaf_weight))
            out.push_back({"blkio", "blkio.leaf_weight_device",
                           device + std::to_string(*d.leaf_weight),
                           kBlock + std::string("weightDevice")});
    }
    throttle(out, io.read_bps, "blkio.throttle.read_bps_device", "throttleReadBpsDevice");
    throttle(out, io.write_bps, "blkio.throttle.write_bps_device", "throttleWriteBpsDevice");
    throttle(out, io.read_iops, "blkio.throttle.read_iops_device", "throttleReadIOPSDevice");
    throttle(out, io.write_iops, "blkio.throttle.write_iops_device", "throttleWriteIOPSDevice");
}

void hugepages(Writes& out, const std::vector<config::HugepageLimit>& limits) {
    const std::string field = "linux.resources.hugepageLimits";
    for (const config::HugepageLimit& page : limits) {
        const std::string prefix = "hugetlb." + page.page_size;
        const std::string value = std::to_string(page.limit);
        out.push_back({"hugetlb", prefix + ".limit_in_bytes", value, field});
        out.push_back(
            {"hugetlb", prefix + ".rsvd.limit_in_bytes", value, field, OnFailure::skip_missing});
    }
}

void network(Writes& out, const config::Network& net) {
    if (given(net.class_id))
        out.push_back({"net_cls", "net_cls.classid", std::to_string(*net.class_id),
                       "linux.resources.network.classID"});
    for (const auto& [name, priority] : net.priorities)
        out.push_back({"net_prio", "net_prio.ifpriomap", name + " " + std::to_string(priority),
                       "linux.resources.network.priorities"});
}

}  // namespace

Result<Translation> translate_v1(const config::Resources& resources, const V1Now& now) {
    HARDRUN_CHECK(check_ranges(resources));
    if (!resources.unified.empty())
        return Error(Errc::unsupported,
                     "linux.resources.unified: is for cgroup v2, but this host uses v1 for its "
                     "controllers; use the named fields, or boot with "
                     "systemd.unified_cgroup_hierarchy=1");
    Translation out;
    if (resources.cpu)
        cpu(out.early, *resources.cpu);
    if (resources.block_io)
        block_io(out.early, *resources.block_io);
    hugepages(out.early, resources.hugepage_limits);
    if (resources.network)
        network(out.early, *resources.network);
    if (resources.memory)
        memory(out.late, *resources.memory, now);
    if (resources.pids_limit)
        out.late.push_back({"pids", "pids.max", limit_text(pids_limit(*resources.pids_limit)),
                            "linux.resources.pids.limit"});
    return out;
}

}  // namespace hardrun::cgroup
