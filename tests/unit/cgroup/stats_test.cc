// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/stats.h"

#include <gtest/gtest.h>

#include "runtime/cgroup/usage.h"
#include "tests/unit/cgroup/fake_files.h"

namespace hardrun::cgroup {
namespace {

bool has(const Result<std::string>& stats, const std::string& part) {
    return stats && stats->find(part) != std::string::npos;
}

TEST(Usage, lists_of_cpus) {
    EXPECT_EQ(parse_list("0-2,5\n"), (std::vector<uint64_t>{0, 1, 2, 5}));
    EXPECT_TRUE(parse_list("\n").empty());
    EXPECT_TRUE(parse_list("0-99999999999,x,3-").empty());
}

TEST(Stats, C40e_v1) {
    FakeFiles files;
    files.folders["/p"] = {{"cgroup.procs", "1\n"}, {"pids.current", "2\n"}, {"pids.max", "max\n"}};
    files.folders["/c"] = {{"cpuacct.usage", "500\n"},
                           {"cpuacct.stat", "user 3\nsystem 4\n"},
                           {"cpuacct.usage_percpu", "200 300 \n"},
                           {"cpuacct.usage_all", "cpu user system\n0 1 2\n1 3 4\n"},
                           {"cpu.stat", "nr_periods 5\nnr_throttled 6\nthrottled_time 7\n"}};
    files.folders["/m"] = {{"memory.limit_in_bytes", "1000\n"},
                           {"memory.usage_in_bytes", "10\n"},
                           {"memory.max_usage_in_bytes", "20\n"},
                           {"memory.failcnt", "30\n"},
                           {"memory.stat", "cache 4\nrss 5\n"}};
    files.folders["/b"] = {
        {"blkio.throttle.io_service_bytes", "8:0 Read 4096\n8:0 Total 4096\nTotal 4096\n"}};
    files.folders["/h"] = {{"hugetlb.2MB.usage_in_bytes", "0\n"}, {"hugetlb.2MB.failcnt", "1\n"}};
    const auto stats = stats_v1(files, {{"pids", "/p"},
                                        {"cpu", "/c"},
                                        {"cpuacct", "/c"},
                                        {"memory", "/m"},
                                        {"blkio", "/b"},
                                        {"hugetlb", "/h"}});
    EXPECT_TRUE(has(stats, R"("usage":{"total":500,"percpu":[200,300],"percpu_kernel":[2,4],)"
                           R"("percpu_user":[1,3],"kernel":40000000,"user":30000000})"));
    EXPECT_TRUE(has(stats, R"("throttling":{"periods":5,"throttledPeriods":6,"throttledTime":7})"));
    EXPECT_TRUE(has(stats, R"("memory":{"cache":4,"usage":{"limit":1000,"usage":10,"max":20,)"
                           R"("failcnt":30})"));
    EXPECT_TRUE(has(stats, R"("raw":{"cache":4,"rss":5})"));
    EXPECT_TRUE(has(stats, R"("pids":{"current":2})"));  // "max" is no limit
    EXPECT_TRUE(has(stats, R"({"major":8,"op":"Read","value":4096})"));
    EXPECT_TRUE(has(stats, R"("hugetlb":{"2MB":{"failcnt":1}})"));
}

TEST(Stats, C40e_v2) {
    FakeFiles files;
    files.folders["/u"] = {{"cgroup.events", "populated 1\n"},
                           {"cpu.stat",
                            "usage_usec 5\nuser_usec 3\nsystem_usec 2\n"
                            "nr_periods 1\nnr_throttled 2\nthrottled_usec 3\n"},
                           {"memory.current", "10\n"},
                           {"memory.max", "1000\n"},
                           {"memory.swap.current", "1\n"},
                           {"memory.swap.max", "500\n"},
                           {"memory.stat", "file 4\nanon 5\n"},
                           {"memory.events", "low 0\nmax 9\noom_kill 0\n"},
                           {"pids.current", "2\n"},
                           {"pids.max", "7\n"},
                           {"io.stat", "8:16 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n"}};
    const auto stats = stats_v2(files, "/u");
    EXPECT_TRUE(has(stats, R"("usage":{"total":5000,"kernel":2000,"user":3000})"));
    EXPECT_TRUE(
        has(stats, R"("throttling":{"periods":1,"throttledPeriods":2,"throttledTime":3000})"));
    EXPECT_TRUE(has(stats, R"("cache":4,"usage":{"limit":1000,"usage":10,"failcnt":9})"));
    EXPECT_TRUE(has(stats, R"("swap":{"limit":1500,"usage":11,"failcnt":0})"));
    EXPECT_TRUE(has(stats, R"("pids":{"current":2,"limit":7})"));
    EXPECT_TRUE(has(stats, R"("ioServiceBytesRecursive":[{"major":8,"minor":16,"op":"Read",)"
                           R"("value":1},{"major":8,"minor":16,"op":"Write","value":2})"));
}

TEST(Stats, v2_without_limits) {
    FakeFiles files;
    files.folders["/u"] = {{"cgroup.events", "populated 1\n"},
                           {"memory.max", "max\n"},
                           {"memory.swap.max", "max\n"},
                           {"pids.max", "max\n"},
                           {"pids.current", "1\n"}};
    const auto stats = stats_v2(files, "/u");
    EXPECT_TRUE(has(stats, R"("usage":{"limit":18446744073709551615,"failcnt":0})"));
    EXPECT_TRUE(has(stats, R"("swap":{"limit":18446744073709551615,"failcnt":0})"));
    EXPECT_TRUE(has(stats, R"("pids":{"current":1})"));
}

TEST(Stats, a_group_that_is_gone_is_an_error) {
    FakeFiles files;
    EXPECT_FALSE(stats_v2(files, "/u"));
    EXPECT_FALSE(stats_v1(files, {{"pids", "/p"}}));
    EXPECT_FALSE(stats_v1(files, {}));
}

}  // namespace
}  // namespace hardrun::cgroup
