// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/update_options.h"

#include <gtest/gtest.h>

#include "runtime/cli/quantities.h"
#include "tests/support/temp_dir.h"

namespace hardrun::cli {
namespace {

TEST(Quantities, sizes_as_docker_writes_them) {
    constexpr int64_t kMiB = 1 << 20;
    EXPECT_EQ(*parse_bytes("0"), 0);
    EXPECT_EQ(*parse_bytes("67108864"), 64 * kMiB);
    for (const char* text : {"64m", "64M", "64mb", "64MiB", "64 m"})
        EXPECT_EQ(*parse_bytes(text), 64 * kMiB) << text;
    EXPECT_EQ(*parse_bytes("10b"), 10);
    EXPECT_EQ(*parse_bytes("1.5k"), 1536);
    EXPECT_EQ(*parse_bytes("2g"), 2048 * kMiB);
    EXPECT_EQ(*parse_limit("-1"), -1);
    for (const char* text : {"", "m", "1x", "-1", "+1", "1e3", "1mm", "1.2.3", "0x10", "9e999",
                             "99999999999g", "ib", "inf", "nan"})
        EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(Quantities, durations_as_go_writes_them) {
    EXPECT_EQ(*parse_duration_ms("5s"), 5000);
    EXPECT_EQ(*parse_duration_ms("500ms"), 500);
    EXPECT_EQ(*parse_duration_ms("1h2m3.5s"), 3723500);
    EXPECT_EQ(*parse_duration_ms("1ns"), 1) << "never a loop without a pause";
    for (const char* text : {"", "0", "0s", "5", "-1s", "s", "5 s", "1d", "5s "})
        EXPECT_FALSE(parse_duration_ms(text)) << text;
}

Result<config::Resources> from(const std::vector<std::string>& args) {
    Options o("update");
    add_update_options(o);
    HARDRUN_CHECK(o.parse_mixed(args));
    return resources_from_options(o);
}

TEST(UpdateOptions, only_what_was_named_is_there) {
    const auto none = from({"c1"});
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->cpu || none->memory || none->pids_limit || none->block_io);

    const auto r =
        from({"c1", "--memory", "64m", "--memory-swap", "-1", "--pids-limit", "0", "--cpu-quota",
              "-1", "--cpu-share", "512", "--cpuset-cpus", "0-1", "--blkio-weight", "300"});
    ASSERT_TRUE(r) << r.error().what();
    EXPECT_EQ(r->memory->limit, 64 << 20);
    EXPECT_EQ(r->memory->swap, -1);
    EXPECT_FALSE(r->memory->reservation);
    EXPECT_EQ(r->pids_limit, 0) << "named, so it is meant";
    EXPECT_EQ(r->cpu->quota, -1);
    EXPECT_FALSE(r->cpu->period);
    EXPECT_EQ(r->cpu->shares, 512U);
    EXPECT_EQ(r->cpu->cpus, "0-1");
    EXPECT_EQ(r->block_io->weight, 300);
}

TEST(UpdateOptions, errors_name_the_option) {
    for (const auto& [option, value] :
         {std::pair{"--memory", "64x"}, std::pair{"--cpu-period", "-1"},
          std::pair{"--cpu-quota", "1.5"}, std::pair{"--blkio-weight", "70000"},
          std::pair{"--pids-limit", "many"}, std::pair{"--l3-cache-schema", "L3:0=f"}}) {
        const auto r = from({option, value, "c1"});
        ASSERT_FALSE(r) << option;
        EXPECT_NE(r.error().what().find(option), std::string::npos) << r.error().what();
    }
}

TEST(UpdateDocument, zeros_of_docker_change_nothing) {
    const auto r =
        resources_from_document(test::slurp(HARDRUN_TEST_DATA "/captures/update-docker.json"));
    ASSERT_TRUE(r) << r.error().what();
    EXPECT_EQ(r->memory->limit, 64 << 20);
    EXPECT_EQ(r->cpu->quota, 100000);
    EXPECT_EQ(r->pids_limit, 50);
    const auto none = resources_from_document(R"({"pids":{"limit":0}})");
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->pids_limit);
}

// containerd's CRI sends the whole of the container's resources.
TEST(UpdateDocument, device_rules_stay_what_they_are) {
    const auto r = resources_from_document(
        R"({"devices":[{"allow":true,"access":"rwm"}],"memory":{"limit":1048576,"swappiness":5}})");
    ASSERT_TRUE(r) << r.error().what();
    EXPECT_TRUE(r->devices.empty());
    EXPECT_FALSE(r->memory->swappiness);
    EXPECT_FALSE(resources_from_document(R"({"memory":{"limit":"64m"}})"));
}

}  // namespace
}  // namespace hardrun::cli
