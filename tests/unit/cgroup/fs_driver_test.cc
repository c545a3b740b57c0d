// SPDX-License-Identifier: Apache-2.0
// The driver against cgroup file systems in memory: what is done, in which order, and what is left
// after a failure.
#include "runtime/cgroup/fs_driver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cgroup/groups.h"
#include "tests/unit/cgroup/fake_files.h"

namespace hardrun::cgroup {
namespace {

using Lines = std::vector<std::string>;

struct Fixture {
    FakeFiles* files;
    std::unique_ptr<FsDriver> driver;

    size_t at(const std::string& line) const {
        return static_cast<size_t>(std::ranges::find(files->log, line) - files->log.begin());
    }
    bool did(const std::string& line) const { return at(line) < files->log.size(); }
};

Fixture v1(Absence absence = Absence::is_error) {
    auto files = std::make_unique<FakeFiles>();
    FakeFiles* raw = files.get();
    raw->add_hierarchy("/m/cpu", {{"cgroup.procs", ""},
                                  {"cpu.shares", "1024\n"},
                                  {"cpu.cfs_period_us", "100000\n"},
                                  {"cpu.cfs_quota_us", "-1\n"}});
    raw->add_hierarchy("/m/memory", {{"cgroup.procs", ""},
                                     {"memory.limit_in_bytes", "9223372036854771712\n"},
                                     {"memory.memsw.limit_in_bytes", "9223372036854771712\n"}});
    raw->add_hierarchy("/m/pids", {{"cgroup.procs", ""}, {"pids.max", "max\n"}});
    raw->add_hierarchy("/m/freezer", {{"cgroup.procs", ""}, {"freezer.state", "THAWED\n"}});
    raw->add_hierarchy("/m/devices", {{"cgroup.procs", ""},
                                      {"devices.allow", ""},
                                      {"devices.deny", ""},
                                      {"devices.list", "a *:* rwm\n"}});
    raw->add_hierarchy("/m/cpuset",
                       {{"cgroup.procs", ""}, {"cpuset.cpus", ""}, {"cpuset.mems", ""}});
    raw->folders["/m/cpuset"] = {{"cpuset.cpus", "0-3\n"}, {"cpuset.mems", "0\n"}};
    FsSetup setup;
    for (const char* name : {"cpu", "memory", "pids", "freezer", "devices", "cpuset"})
        setup.location.folders[name] = std::string("/m/") + name + "/docker/c1";
    setup.absence = absence;
    return {raw, std::make_unique<FsDriver>(std::move(files), std::move(setup))};
}

Fixture v2() {
    auto files = std::make_unique<FakeFiles>();
    FakeFiles* raw = files.get();
    raw->add_hierarchy("/u", {{"cgroup.procs", ""},
                              {"cgroup.controllers", "cpu memory pids\n"},
                              {"cgroup.subtree_control", ""},
                              {"cgroup.freeze", "0\n"},
                              {"cgroup.events", "populated 1\nfrozen 0\n"},
                              {"cgroup.kill", ""},
                              {"cpu.max", "max 100000\n"},
                              {"cpu.weight", "100\n"},
                              {"memory.max", "max\n"},
                              {"memory.swap.max", "max\n"},
                              {"pids.max", "max\n"}});
    FsSetup setup;
    setup.location.folders[""] = "/u/docker/c1";
    setup.v2_mount = "/u";
    return {raw, std::make_unique<FsDriver>(std::move(files), std::move(setup))};
}

config::Resources limits() {
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->shares = 512;
    r.memory = config::Memory{};
    r.memory->limit = 1000;
    r.pids_limit = 3;
    r.devices = {{false, 'a', {}, {}, true, true, true}};
    return r;
}

TEST(FsDriver, v1_memory_pids_and_devices_come_last) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare(limits()));
    ASSERT_TRUE(f.driver->enter(42, limits(), Membership::but_memory));
    EXPECT_TRUE(f.did("/m/cpu/docker/c1/cgroup.procs=42"));
    EXPECT_FALSE(f.did("/m/memory/docker/c1/cgroup.procs=42"));
    EXPECT_FALSE(f.did("/m/pids/docker/c1/pids.max=3"));
    ASSERT_TRUE(f.driver->settle(42, limits()));
    EXPECT_LT(f.at("/m/cpu/docker/c1/cpu.shares=512"), f.at("/m/cpu/docker/c1/cgroup.procs=42"));
    EXPECT_LT(f.at("/m/memory/docker/c1/memory.limit_in_bytes=1000"),
              f.at("/m/memory/docker/c1/cgroup.procs=42"));
    EXPECT_LT(f.at("/m/memory/docker/c1/cgroup.procs=42"),
              f.at("/m/devices/docker/c1/devices.deny=a"));
    EXPECT_EQ(f.files->log.back(), "/m/devices/docker/c1/devices.allow=c 136:* rwm");
}

TEST(FsDriver, v1_a_cgroup_namespace_wants_memory_at_once) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    ASSERT_TRUE(f.driver->enter(42, {}, Membership::all));
    ASSERT_TRUE(f.driver->settle(42, {}));
    EXPECT_EQ(std::ranges::count(f.files->log, "/m/memory/docker/c1/cgroup.procs=42"), 1);
}

TEST(FsDriver, v1_cpuset_is_filled_from_above) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    EXPECT_TRUE(f.did("/m/cpuset/docker/cpuset.cpus=0-3"));
    EXPECT_LT(f.at("/m/cpuset/docker/cpuset.cpus=0-3"),
              f.at("/m/cpuset/docker/c1/cpuset.cpus=0-3"));
    EXPECT_TRUE(f.did("/m/cpuset/docker/c1/cpuset.mems=0"));
}

TEST(FsDriver, v1_controllers_that_share_a_folder_are_made_and_entered_once) {
    auto files = std::make_unique<FakeFiles>();
    FakeFiles* raw = files.get();
    raw->add_hierarchy("/m/cpu,cpuacct", {{"cgroup.procs", ""}});
    FsSetup setup;
    setup.location.folders = {{"cpu", "/m/cpu,cpuacct/c1"}, {"cpuacct", "/m/cpu,cpuacct/c1"}};
    FsDriver driver(std::move(files), std::move(setup));
    ASSERT_TRUE(driver.prepare({}));
    ASSERT_TRUE(driver.enter(42, {}, Membership::but_memory));
    EXPECT_EQ(raw->log, (Lines{"mkdir /m/cpu,cpuacct/c1", "/m/cpu,cpuacct/c1/cgroup.procs=42"}));
}

TEST(FsDriver, a_failed_limit_leaves_nothing_of_what_prepare_made) {
    Fixture f = v1();
    f.files->folders["/m/pids/docker"] = {{"cgroup.procs", ""}};
    f.files->failures["/m/cpu/docker/c1/cpu.shares"] = EINVAL;
    const Status failed = f.driver->prepare(limits());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what(),
              "linux.resources.cpu.shares: cgroup cpu.shares: write '512': Invalid argument");
    for (const auto& [path, contents] : f.files->folders)
        EXPECT_TRUE(!path.ends_with("c1") &&
                    (path == "/m/pids/docker" || !path.ends_with("docker")))
            << path;
    EXPECT_TRUE(f.files->folders.contains("/m/pids/docker"));  // was there before
}

TEST(FsDriver, every_folder_that_cannot_be_made_is_undone) {
    for (const char* name : {"cpu", "cpuset", "devices", "freezer", "memory", "pids"}) {
        Fixture f = v1();
        f.files->failures["mkdir /m/" + std::string(name) + "/docker/c1"] = ENOSPC;
        ASSERT_FALSE(f.driver->prepare(limits()));
        EXPECT_EQ(f.files->folders.size(), 6U) << name;
    }
}

TEST(FsDriver, without_privileges_groups_are_left_out) {
    Fixture f = v1(Absence::is_left_out);
    for (const char* name : {"cpu", "memory", "devices"})
        f.files->failures["mkdir /m/" + std::string(name) + "/docker"] = EACCES;
    ASSERT_TRUE(f.driver->prepare({}));
    EXPECT_EQ(f.driver->location().folders.size(), 3U);
    ASSERT_TRUE(f.driver->enter(42, {}, Membership::all));
    ASSERT_TRUE(f.driver->settle(42, {}));
    Fixture g = v1(Absence::is_left_out);
    g.files->failures["mkdir /m/cpu/docker"] = EACCES;
    const Status failed = g.driver->prepare(limits());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind(), Errc::unsupported);
    EXPECT_NE(failed.error().what().find("linux.resources.cpu.shares"), std::string::npos);
}

TEST(FsDriver, X2_a_group_in_use_or_frozen_is_refused) {
    Fixture used = v2();
    ASSERT_TRUE(used.driver->prepare({}));
    used.files->folders["/u/docker/c1"]["cgroup.procs"] = "7\n8\n";
    Status refused = used.driver->prepare({});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), Errc::bad_state);
    EXPECT_NE(refused.error().what().find("process 7"), std::string::npos);
    used.files->folders["/u/docker/c1"]["cgroup.procs"] = "";
    used.files->folders["/u/docker/c1"]["cgroup.freeze"] = "1\n";
    refused = used.driver->prepare({});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what().find("frozen"), std::string::npos);
    EXPECT_TRUE(used.files->folders.contains("/u/docker/c1"));  // not ours to undo
}

TEST(FsDriver, v2_controllers_are_enabled_from_the_root_down) {
    Fixture f = v2();
    ASSERT_TRUE(f.driver->prepare(limits()));
    EXPECT_LT(f.at("/u/cgroup.subtree_control=+cpu +memory +pids"),
              f.at("/u/docker/cgroup.subtree_control=+cpu +memory +pids"));
    EXPECT_FALSE(f.did("/u/docker/c1/cgroup.subtree_control=+cpu +memory +pids"));
    EXPECT_EQ(f.files->log.back(), "/u/docker/c1/cpu.weight=20");
}

TEST(FsDriver, v2_one_refused_controller_does_not_keep_the_others_out) {
    Fixture f = v2();
    f.files->once["/u/cgroup.subtree_control"] = EBUSY;
    ASSERT_TRUE(f.driver->prepare({}));
    EXPECT_TRUE(f.did("/u/cgroup.subtree_control=+cpu"));
    EXPECT_TRUE(f.did("/u/cgroup.subtree_control=+pids"));
}

TEST(FsDriver, v2_nothing_is_enabled_that_is_already) {
    Fixture f = v2();
    f.files->folders["/u/docker"] = f.files->folders["/u"];
    f.files->folders["/u/docker"]["cgroup.subtree_control"] = "cpu memory pids\n";
    ASSERT_TRUE(f.driver->prepare({}));
    EXPECT_EQ(f.files->log, Lines{"mkdir /u/docker/c1"});
}

TEST(FsDriver, v2_a_controller_that_is_not_handed_down_is_named) {
    Fixture f = v2();
    config::Resources r;
    r.hugepage_limits = {{"2MB", 4096}};
    const Status failed = f.driver->prepare(r);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind(), Errc::unsupported);
    EXPECT_EQ(failed.error().what(),
              "linux.resources.hugepageLimits: the hugetlb controller is not enabled for "
              "/u/docker/c1 (wants hugetlb.2MB.max; enabled: 'cpu memory pids')");
}

TEST(FsDriver, v2_init_is_cloned_into_the_group_v1_enters) {
    Fixture two = v2();
    ASSERT_TRUE(two.driver->prepare({}));
    const auto target = two.driver->clone_target();
    ASSERT_TRUE(target);
    EXPECT_TRUE(target->valid());
    Fixture one = v1();
    const auto none = one.driver->clone_target();
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->valid());
}

TEST(FsDriver, v2_a_process_that_is_inside_is_not_moved) {
    Fixture f = v2();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/u/docker/c1"]["cgroup.procs"] = "421\n42\n";
    ASSERT_TRUE(f.driver->enter(42, {}, Membership::all));
    EXPECT_FALSE(f.did("/u/docker/c1/cgroup.procs=42"));
    ASSERT_TRUE(f.driver->enter(4, {}, Membership::all));
    EXPECT_TRUE(f.did("/u/docker/c1/cgroup.procs=4"));
}

TEST(FsDriver, update_raises_swap_before_memory) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/m/memory/docker/c1"]["memory.limit_in_bytes"] = "1000\n";
    config::Resources r;
    r.memory = config::Memory{};
    r.memory->limit = 2000;
    r.memory->swap = 4000;
    f.files->log.clear();
    ASSERT_TRUE(f.driver->update(r));
    EXPECT_EQ(f.files->log, (Lines{"/m/memory/docker/c1/memory.memsw.limit_in_bytes=4000",
                                   "/m/memory/docker/c1/memory.limit_in_bytes=2000"}));
}

TEST(FsDriver, update_of_a_period_that_does_not_fit_the_old_quota) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->once["/m/cpu/docker/c1/cpu.cfs_period_us"] = EINVAL;
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->quota = 2000;
    r.cpu->period = 4000;
    f.files->log.clear();
    ASSERT_TRUE(f.driver->update(r));
    EXPECT_EQ(f.files->log, (Lines{"/m/cpu/docker/c1/cpu.cfs_quota_us=2000",
                                   "/m/cpu/docker/c1/cpu.cfs_period_us=4000"}));
}

TEST(FsDriver, update_of_a_busy_memory_limit_says_how_much_is_in_use) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    auto& group = f.files->folders["/m/memory/docker/c1"];
    group["memory.usage_in_bytes"] = "4096\n";
    f.files->failures["/m/memory/docker/c1/memory.limit_in_bytes"] = EBUSY;
    config::Resources r;
    r.memory = config::Memory{};
    r.memory->limit = 512;
    const Status failed = f.driver->update(r);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what(),
              "linux.resources.memory.limit: cgroup memory.limit_in_bytes: write '512': Device or "
              "resource busy (in use: 4096 bytes)");
}

TEST(FsDriver, update_without_device_rules_leaves_them) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->log.clear();
    ASSERT_TRUE(f.driver->update({}));
    EXPECT_TRUE(f.files->log.empty());
}

TEST(FsDriver, weight_goes_to_the_file_that_there_is) {
    Fixture f = v1();
    FsSetup setup;
    auto files = std::make_unique<FakeFiles>();
    FakeFiles* raw = files.get();
    raw->add_hierarchy("/m/blkio", {{"cgroup.procs", ""}, {"blkio.bfq.weight", "100\n"}});
    setup.location.folders["blkio"] = "/m/blkio/c1";
    FsDriver driver(std::move(files), std::move(setup));
    config::Resources r;
    r.block_io = config::BlockIo{};
    r.block_io->weight = 300;
    ASSERT_TRUE(driver.prepare(r));
    EXPECT_EQ(raw->log.back(), "/m/blkio/c1/blkio.bfq.weight=300");
}

TEST(FsDriver, exec_joins_all_groups_or_some_groups_below) {
    Fixture f = v1();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/m/cpu/docker/c1/sub"] = {{"cgroup.procs", ""}};
    f.files->log.clear();
    ASSERT_TRUE(f.driver->join(9, "cpu:/sub"));
    EXPECT_TRUE(f.did("/m/cpu/docker/c1/sub/cgroup.procs=9"));
    EXPECT_TRUE(f.did("/m/memory/docker/c1/cgroup.procs=9"));
    EXPECT_FALSE(f.driver->join(9, "sub"));       // not in all of them
    EXPECT_FALSE(f.driver->join(9, "cpu:../x"));  // above the container's own
    EXPECT_FALSE(f.driver->join(9, "nosuch:/sub"));
}

TEST(FsDriver, exec_into_a_group_whose_processes_moved_below) {
    Fixture f = v2();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/u/docker/c1/init"] = {{"cgroup.procs", "7\n"}};
    f.files->failures["/u/docker/c1/cgroup.procs"] = EBUSY;
    ASSERT_TRUE(f.driver->join(9, ""));
    EXPECT_EQ(f.files->log.back(), "/u/docker/c1/init/cgroup.procs=9");
}

TEST(FsDriver, pids_of_groups_below_count_and_threaded_ones_are_skipped) {
    Fixture f = v2();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/u/docker/c1"]["cgroup.procs"] = "7\n";
    f.files->folders["/u/docker/c1/a"] = {{"cgroup.procs", "9\n8\n"}};
    f.files->folders["/u/docker/c1/a/gone"] = {};  // no cgroup.procs: ENOENT
    const auto pids = f.driver->pids();
    ASSERT_TRUE(pids);
    EXPECT_EQ(*pids, (std::vector<pid_t>{7, 8, 9}));
}

TEST(FsDriver, remove_takes_children_first_and_waits) {
    Fixture f = v2();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/u/docker/c1/a"] = {{"cgroup.procs", ""}};
    f.files->folders["/u/docker/c1/a/b"] = {{"cgroup.procs", "8\n"}};
    f.files->on_wait = [&]() {
        if (f.files->waited_ms > 5)
            f.files->folders["/u/docker/c1/a/b"]["cgroup.procs"] = "";
    };
    ASSERT_TRUE(f.driver->remove(1000));
    EXPECT_LT(f.at("rmdir /u/docker/c1/a/b"), f.at("rmdir /u/docker/c1/a"));
    EXPECT_EQ(f.files->log.back(), "rmdir /u/docker/c1");
    EXPECT_TRUE(f.files->folders.contains("/u/docker"));  // the parent stays, as runc leaves it
    ASSERT_TRUE(f.driver->remove(0));                     // gone already
}

TEST(FsDriver, remove_gives_up_after_its_time) {
    Fixture f = v2();
    ASSERT_TRUE(f.driver->prepare({}));
    f.files->folders["/u/docker/c1"]["cgroup.procs"] = "8\n";
    const Status busy = f.driver->remove(100);
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().sys_errno(), EBUSY);
    EXPECT_GE(f.files->waited_ms, 100);
    EXPECT_LT(f.files->waited_ms, 200);
}

}  // namespace
}  // namespace hardrun::cgroup
