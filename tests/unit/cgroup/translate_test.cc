// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "runtime/cgroup/scales.h"
#include "runtime/cgroup/translate_v1.h"
#include "runtime/cgroup/translate_v2.h"

namespace hardrun::cgroup {
namespace {

using Lines = std::vector<std::string>;

Lines lines(const std::vector<Write>& writes) {
    Lines out;
    for (const Write& w : writes)
        out.push_back(w.file + "=" + w.value);
    return out;
}

config::Resources with_memory(std::optional<int64_t> limit, std::optional<int64_t> swap) {
    config::Resources r;
    r.memory = config::Memory{};
    r.memory->limit = limit;
    r.memory->swap = swap;
    return r;
}

config::Resources with_cpu(const config::Cpu& cpu) {
    config::Resources r;
    r.cpu = cpu;
    return r;
}

Lines late_v1(const config::Resources& r, const V1Now& now = {}) {
    const auto out = translate_v1(r, now);
    EXPECT_TRUE(out);
    return lines(out->late);
}

Lines late_v2(const config::Resources& r, const V2Now& now = {}) {
    const auto out = translate_v2(r, now);
    EXPECT_TRUE(out);
    return lines(out->late);
}

Lines early_v1(const config::Resources& r) {
    const auto out = translate_v1(r);
    EXPECT_TRUE(out);
    return lines(out->early);
}

Lines early_v2(const config::Resources& r, const V2Now& now = {}) {
    const auto out = translate_v2(r, now);
    EXPECT_TRUE(out);
    return lines(out->early);
}

TEST(Scales, shares_and_weights_on_runcs_lines) {
    EXPECT_EQ(weight_from_shares(2), 1U);
    EXPECT_EQ(weight_from_shares(1024), 39U);
    EXPECT_EQ(weight_from_shares(262144), 10000U);
    EXPECT_EQ(io_weight_from_blkio(10), 1U);
    EXPECT_EQ(io_weight_from_blkio(500), 4950U);
    EXPECT_EQ(io_weight_from_blkio(1000), 10000U);
}

// What docker sends for what its user did not ask for.
TEST(Translate, zero_is_not_set) {
    config::Resources r = with_memory(0, 0);
    r.memory->reservation = 0;
    r.memory->kernel = 0;
    r.memory->disable_oom_killer = false;
    r.cpu = config::Cpu{};
    r.cpu->shares = 0;
    r.cpu->quota = 0;
    r.cpu->period = 0;
    r.block_io = config::BlockIo{};
    r.block_io->weight = 0;
    EXPECT_EQ(early_v1(r), Lines{});
    EXPECT_EQ(late_v1(r), Lines{});
    EXPECT_EQ(early_v2(r), Lines{});
    EXPECT_EQ(late_v2(r), Lines{});
}

TEST(Translate, v1_memory_and_swap_in_the_order_that_the_kernel_takes) {
    const Lines memory_first = {"memory.limit_in_bytes=100", "memory.memsw.limit_in_bytes=200"};
    const Lines swap_first = {"memory.memsw.limit_in_bytes=200", "memory.limit_in_bytes=100"};
    EXPECT_EQ(late_v1(with_memory(100, 200)), memory_first);         // a new group
    EXPECT_EQ(late_v1(with_memory(100, 200), {50}), swap_first);     // raised
    EXPECT_EQ(late_v1(with_memory(100, 200), {500}), memory_first);  // lowered
}

TEST(Translate, v1_memory_without_limit_means_swap_too) {
    const auto out = translate_v1(with_memory(-1, {}));
    ASSERT_TRUE(out);
    EXPECT_EQ(lines(out->late),
              (Lines{"memory.memsw.limit_in_bytes=-1", "memory.limit_in_bytes=-1"}));
    EXPECT_EQ(out->late[0].on_failure, OnFailure::skip_missing);
}

TEST(Translate, v2_swap_is_what_is_beyond_memory) {
    EXPECT_EQ(late_v2(with_memory(100, 300)), (Lines{"memory.swap.max=200", "memory.max=100"}));
    EXPECT_EQ(late_v2(with_memory(100, 100)), (Lines{"memory.swap.max=0", "memory.max=100"}));
    EXPECT_EQ(late_v2(with_memory(100, -1)), (Lines{"memory.swap.max=max", "memory.max=100"}));
    EXPECT_EQ(late_v2(with_memory(-1, {})), (Lines{"memory.swap.max=max", "memory.max=max"}));
    EXPECT_EQ(late_v2(with_memory(100, {})), (Lines{"memory.max=100"}));
    EXPECT_EQ(late_v2(with_memory({}, 300), {"", "100\n"}), (Lines{"memory.swap.max=200"}));
}

TEST(Translate, v2_swap_that_does_not_fit_is_refused) {
    for (const auto& r : {with_memory(100, 50), with_memory({}, 50), with_memory(-1, 50)}) {
        const auto out = translate_v2(r);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().kind(), Errc::bad_config);
        EXPECT_NE(out.error().what().find("linux.resources.memory.swap"), std::string::npos);
    }
}

TEST(Translate, memory_and_pids_are_late_all_else_early) {
    config::Resources r = with_memory(100, {});
    r.memory->reservation = 50;
    r.memory->swappiness = 10;
    r.memory->disable_oom_killer = true;
    r.memory->kernel_tcp = 7;
    r.pids_limit = 5;
    EXPECT_EQ(early_v1(r), Lines{});
    EXPECT_EQ(late_v1(r), (Lines{"memory.limit_in_bytes=100", "memory.kmem.tcp.limit_in_bytes=7",
                                 "memory.soft_limit_in_bytes=50", "memory.oom_control=1",
                                 "memory.swappiness=10", "pids.max=5"}));
    EXPECT_EQ(late_v2(r), (Lines{"memory.max=100", "memory.low=50", "pids.max=5"}));
}

TEST(Translate, C30_pids_limit_of_zero_means_one_and_minus_one_means_none) {
    config::Resources r;
    EXPECT_EQ(late_v1(r), Lines{});
    r.pids_limit = 0;
    EXPECT_EQ(late_v1(r), Lines{"pids.max=1"});
    EXPECT_EQ(late_v2(r), Lines{"pids.max=1"});
    r.pids_limit = -1;
    EXPECT_EQ(late_v1(r), Lines{"pids.max=max"});
    EXPECT_EQ(late_v2(r), Lines{"pids.max=max"});
}

TEST(Translate, X2_quota_and_period_apart) {
    config::Cpu quota;
    quota.quota = 5000;
    config::Cpu period;
    period.period = 20000;
    config::Cpu both = quota;
    both.period = 20000;
    EXPECT_EQ(early_v1(with_cpu(quota)), Lines{"cpu.cfs_quota_us=5000"});
    EXPECT_EQ(early_v1(with_cpu(period)), Lines{"cpu.cfs_period_us=20000"});
    EXPECT_EQ(early_v2(with_cpu(quota)), Lines{"cpu.max=5000"});
    EXPECT_EQ(early_v2(with_cpu(period)), Lines{"cpu.max=max 20000"});
    EXPECT_EQ(early_v2(with_cpu(period), {"700 100000\n", "max"}), Lines{"cpu.max=700 20000"});
    EXPECT_EQ(early_v2(with_cpu(both)), Lines{"cpu.max=5000 20000"});
    const auto v1 = translate_v1(with_cpu(both));
    ASSERT_TRUE(v1);
    EXPECT_EQ(v1->early[0].on_failure, OnFailure::retry_last);  // it may not fit the old quota
}

TEST(Translate, cpu_of_all_kinds) {
    config::Cpu c;
    c.shares = 1024;
    c.quota = -1;
    c.burst = 10;
    c.realtime_period = 1000;
    c.realtime_runtime = 500;
    c.cpus = "0-1";
    c.mems = "0";
    c.idle = 1;
    EXPECT_EQ(early_v1(with_cpu(c)),
              (Lines{"cpu.shares=1024", "cpu.cfs_burst_us=10", "cpu.cfs_quota_us=-1",
                     "cpu.rt_period_us=1000", "cpu.rt_runtime_us=500", "cpu.idle=1",
                     "cpuset.cpus=0-1", "cpuset.mems=0"}));
    EXPECT_EQ(early_v2(with_cpu(c)), (Lines{"cpu.weight=39", "cpu.max.burst=10", "cpu.max=max",
                                            "cpu.idle=1", "cpuset.cpus=0-1", "cpuset.mems=0"}));
}

TEST(Translate, block_io_with_the_other_schedulers_file) {
    config::Resources r;
    r.block_io = config::BlockIo{};
    r.block_io->weight = 500;
    r.block_io->weight_device = {{8, 0, uint16_t{100}, {}}};
    r.block_io->read_bps = {{8, 0, 1000}};
    r.block_io->write_iops = {{8, 16, 0}};
    const auto v1 = translate_v1(r);
    ASSERT_TRUE(v1);
    EXPECT_EQ(lines(v1->early), (Lines{"blkio.weight=500", "blkio.weight_device=8:0 100",
                                       "blkio.throttle.read_bps_device=8:0 1000",
                                       "blkio.throttle.write_iops_device=8:16 0"}));
    EXPECT_EQ(v1->early[1].other_file, "blkio.bfq.weight_device");
    const auto v2 = translate_v2(r);
    ASSERT_TRUE(v2);
    EXPECT_EQ(lines(v2->early), (Lines{"io.bfq.weight=500", "io.bfq.weight=8:0 100",
                                       "io.max=8:0 rbps=1000", "io.max=8:16 wiops=max"}));
    EXPECT_EQ(v2->early[0].other_file, "io.weight");
    EXPECT_EQ(v2->early[0].other_value, "4950");
}

TEST(Translate, hugepages_and_network) {
    config::Resources r;
    r.hugepage_limits = {{"2MB", 4096}};
    r.network = config::Network{};
    r.network->class_id = 0x10001;
    r.network->priorities = {{"eth0", 3}};
    EXPECT_EQ(early_v1(r),
              (Lines{"hugetlb.2MB.limit_in_bytes=4096", "hugetlb.2MB.rsvd.limit_in_bytes=4096",
                     "net_cls.classid=65537", "net_prio.ifpriomap=eth0 3"}));
    EXPECT_EQ(early_v2(r), (Lines{"hugetlb.2MB.max=4096", "hugetlb.2MB.rsvd.max=4096"}));
}

TEST(Translate, unified_is_for_v2_and_for_limits_only) {
    config::Resources r;
    r.unified = {{"memory.high", "100"}, {"io.latency", "8:0 target=10"}};
    EXPECT_EQ(early_v2(r), Lines{"io.latency=8:0 target=10"});
    EXPECT_EQ(late_v2(r), Lines{"memory.high=100"});
    EXPECT_FALSE(translate_v1(r));
    for (const char* file : {"cgroup.procs", "cgroup.kill", "../x.y", "a/b.c", "cpu", ".cpu"}) {
        r.unified = {{file, "1"}};
        const auto out = translate_v2(r);
        ASSERT_FALSE(out) << file;
        EXPECT_EQ(out.error().kind(), Errc::bad_config);
    }
}

TEST(Translate, values_out_of_range) {
    config::Cpu c;
    c.shares = 1;
    EXPECT_FALSE(translate_v1(with_cpu(c)));
    EXPECT_FALSE(translate_v2(with_cpu(c)));
    config::Resources r = with_memory({}, {});
    r.memory->swappiness = 101;
    EXPECT_FALSE(translate_v1(r));
    r.memory->swappiness = UINT64_MAX;  // -1
    EXPECT_TRUE(translate_v1(r));
    r = {};
    r.hugepage_limits = {{"../x", 1}};
    EXPECT_FALSE(translate_v1(r));
}

}  // namespace
}  // namespace hardrun::cgroup
