// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cgroup/freeze.h"
#include "runtime/cgroup/kill.h"
#include "tests/unit/cgroup/fake_files.h"

namespace hardrun::cgroup {
namespace {

using Lines = std::vector<std::string>;

const Freezer kV1{Freezer::Kind::v1, "/f/c1"};
const Freezer kV2{Freezer::Kind::v2, "/u/c1"};

FakeFiles::Contents v2_group() {
    return {{"cgroup.procs", "5\n6\n"}, {"cgroup.freeze", "0\n"}, {"cgroup.events", "frozen 0\n"}};
}

TEST(Freeze, v1_and_v2_in_one_go) {
    FakeFiles files;
    files.folders["/f/c1"] = {{"freezer.state", "THAWED\n"}};
    files.folders["/u/c1"] = v2_group();
    ASSERT_TRUE(freeze_group(files, kV1));
    ASSERT_TRUE(freeze_group(files, kV2));
    EXPECT_EQ(files.log, (Lines{"/f/c1/freezer.state=FROZEN", "/u/c1/cgroup.freeze=1"}));
    EXPECT_EQ(files.waited_ms, 0);
    EXPECT_EQ(*state_of(files, kV1), FreezerState::frozen);
    EXPECT_EQ(*state_of(files, kV2), FreezerState::frozen);
    ASSERT_TRUE(thaw_group(files, kV1));
    ASSERT_TRUE(thaw_group(files, kV2));
    EXPECT_EQ(*state_of(files, kV1), FreezerState::thawed);
    EXPECT_EQ(*state_of(files, kV2), FreezerState::thawed);
}

TEST(Freeze, states_on_the_way) {
    FakeFiles files;
    files.folders["/f/c1"] = {{"freezer.state", "FREEZING\n"}};
    files.folders["/u/c1"] = {{"cgroup.freeze", "1\n"}, {"cgroup.events", "frozen 0\n"}};
    EXPECT_EQ(*state_of(files, kV1), FreezerState::freezing);
    EXPECT_EQ(*state_of(files, kV2), FreezerState::freezing);
}

// Its file says FREEZING whatever is written.
class StuckFiles final : public Files {
  public:
    Lines log;
    Result<Made> make_dir(const std::string&) override { return Made::before; }
    Status remove_dir(const std::string&) override { return {}; }
    Result<std::vector<std::string>> children(const std::string&) override { return Lines{}; }
    Result<std::string> read(const std::string&, const std::string&) override {
        return std::string("FREEZING\n");
    }
    Status write(const std::string&, const std::string&, std::string_view value) override {
        log.emplace_back(value);
        return {};
    }
    Result<Fd> open_dir(const std::string&) override { return Fd(); }
    Status signal(pid_t, int) override { return {}; }
    void wait_ms(int) override {}
};

TEST(Freeze, what_does_not_freeze_is_asked_again_and_thawed_in_the_end) {
    StuckFiles files;
    const Status failed = freeze_group(files, kV1);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().what().find("/f/c1"), std::string::npos);
    EXPECT_GT(std::ranges::count(files.log, "FROZEN"), 10);
    EXPECT_GT(std::ranges::count(files.log, "THAWED"), 1);
    EXPECT_EQ(files.log.back(), "THAWED");
}

TEST(Kill, v2_by_the_kernel) {
    FakeFiles files;
    files.folders["/u/c1"] = v2_group();
    files.folders["/u/c1"]["cgroup.kill"] = "";
    ASSERT_TRUE(signal_group(files, {{{"", "/u/c1"}}, ""}, SIGKILL));
    EXPECT_EQ(files.log, Lines{"/u/c1/cgroup.kill=1"});
}

TEST(Kill, v2_before_cgroup_kill_freezes_first) {
    FakeFiles files;
    files.folders["/u/c1"] = v2_group();
    ASSERT_TRUE(signal_group(files, {{{"", "/u/c1"}}, ""}, SIGKILL));
    EXPECT_EQ(files.log, (Lines{"/u/c1/cgroup.freeze=1", "signal 5 9", "signal 6 9",
                                "/u/c1/cgroup.freeze=0"}));
}

TEST(Kill, D9_a_frozen_v1_group_is_thawed_to_die) {
    FakeFiles files;
    files.folders["/f/c1"] = {{"freezer.state", "FROZEN\n"}, {"cgroup.procs", "5\n"}};
    ASSERT_TRUE(signal_group(files, {{{"freezer", "/f/c1"}}, ""}, SIGKILL));
    EXPECT_EQ(files.log.back(), "/f/c1/freezer.state=THAWED");
    EXPECT_TRUE(std::ranges::count(files.log, "signal 5 9") >= 1);
}

TEST(Kill, hybrid_kills_by_the_kernel_then_thaws_and_looks_into_v1) {
    FakeFiles files;
    files.folders["/f/c1"] = {{"freezer.state", "FROZEN\n"}, {"cgroup.procs", "5\n"}};
    files.folders["/u/c1"] = v2_group();
    files.folders["/u/c1"]["cgroup.kill"] = "";
    ASSERT_TRUE(signal_group(files, {{{"freezer", "/f/c1"}, {"", "/u/c1"}}, ""}, SIGKILL));
    EXPECT_EQ(files.log,
              (Lines{"/u/c1/cgroup.kill=1", "/f/c1/freezer.state=THAWED", "signal 5 9"}));
}

TEST(Kill, other_signals_go_to_each_process) {
    FakeFiles files;
    files.folders["/u/c1"] = v2_group();
    files.folders["/u/c1/sub"] = {{"cgroup.procs", "7\n"}};
    ASSERT_TRUE(signal_group(files, {{{"", "/u/c1"}}, ""}, SIGTERM));
    EXPECT_EQ(files.log, (Lines{"signal 5 15", "signal 6 15", "signal 7 15"}));
}

TEST(Kill, a_container_without_groups) {
    FakeFiles files;
    EXPECT_FALSE(signal_group(files, {}, SIGKILL));
}

}  // namespace
}  // namespace hardrun::cgroup
