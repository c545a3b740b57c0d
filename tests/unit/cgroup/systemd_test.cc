// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cgroup/systemd_driver.h"
#include "runtime/cgroup/translate_systemd.h"
#include "runtime/cgroup/unit_name.h"
#include "tests/unit/cgroup/fake_files.h"

namespace hardrun::cgroup {
namespace {

using Lines = std::vector<std::string>;

std::string line(const UnitProperty& property) {
    std::string out = property.name + "=";
    for (const std::string& value : property.values)
        out += (out.back() == '=' ? "" : " ") + value;
    return out;
}

Lines lines(const std::vector<UnitProperty>& properties) {
    Lines out;
    for (const UnitProperty& property : properties)
        out.push_back(line(property));
    return out;
}

TEST(UnitName, forms) {
    const auto name = unit_name("kube.slice:cri-containerd:abc", "id");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->unit, "cri-containerd-abc.scope");
    EXPECT_EQ(name->slice, "kube.slice");
    EXPECT_EQ(unit_name("", "id")->unit, "hardrun-id.scope");
    EXPECT_EQ(unit_name("", "id")->slice, "system.slice");
    EXPECT_EQ(unit_name(":docker:abc", "id")->slice, "system.slice");
    EXPECT_EQ(unit_name("a.slice::abc", "id")->unit, "abc.scope");
    EXPECT_EQ(unit_name("a.slice:x:a-b.slice", "id")->unit, "a-b.slice");
}

TEST(UnitName, X4_the_other_drivers_path_names_both_sides_and_the_fix) {
    for (const char* path : {"/docker/abc", "abc", "a:b", "a:b:c:d", "a.slice:b:", "a/b:c:d"}) {
        const auto name = unit_name(path, "id");
        ASSERT_FALSE(name) << path;
        const std::string& what = name.error().what();
        for (const char* part :
             {"cgroup driver mismatch", "--systemd-cgroup", "cgroupfs", "SystemdCgroup", path})
            EXPECT_NE(what.find(part), std::string::npos) << part << " in " << what;
    }
    EXPECT_TRUE(is_systemd_form("a.slice:cri:abc"));
    EXPECT_TRUE(is_systemd_form(":cri:abc"));
    EXPECT_FALSE(is_systemd_form("/a/b"));
    EXPECT_FALSE(is_systemd_form("a:b:c"));
}

TEST(UnitName, slices_are_nested_by_their_name) {
    EXPECT_EQ(*slice_folder("a-b-c.slice"), "/a.slice/a-b.slice/a-b-c.slice");
    EXPECT_EQ(*slice_folder("system.slice"), "/system.slice");
    EXPECT_EQ(*slice_folder("-.slice"), "");
    for (const char* bad : {"", ".slice", "a", "a--b.slice", "-a.slice", "a-.slice", "a/b.slice"})
        EXPECT_FALSE(slice_folder(bad)) << bad;
}

TEST(UnitName, folders_on_v2_and_v1) {
    const Host v2 = parse_mountinfo("23 20 0:21 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    const UnitName name{"x-1.scope", "a-b.slice"};
    EXPECT_EQ(locate_unit(v2, {{"", "/init.scope"}}, name)->folders.at(""),
              "/sys/fs/cgroup/a.slice/a-b.slice/x-1.scope");
    const Host v1 =
        parse_mountinfo("28 25 0:25 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    const auto location = locate_unit(v1, {{"memory", "/"}}, {"x-1.slice", "system.slice"});
    ASSERT_TRUE(location);
    EXPECT_EQ(location->folders.at("memory"), "/sys/fs/cgroup/memory/x.slice/x-1.slice");
    EXPECT_EQ(location->systemd_unit, "x-1.slice");
}

TEST(TranslateSystemd, limits_on_v2) {
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->shares = 1024;
    r.cpu->quota = 33333;
    r.cpu->period = 100000;
    r.cpu->cpus = "0-1,9";
    r.memory = config::Memory{};
    r.memory->limit = 100;
    r.memory->swap = 150;
    r.memory->reservation = 50;
    r.pids_limit = -1;
    const auto out = translate_systemd(r, Layout::v2);
    ASSERT_TRUE(out);
    EXPECT_EQ(lines(out->early), (Lines{"CPUWeight=39", "CPUQuotaPeriodUSec=100000",
                                        "CPUQuotaPerSecUSec=340000", "AllowedCPUs=3 2"}));
    EXPECT_EQ(lines(out->late), (Lines{"MemoryMax=100", "MemoryLow=50", "MemorySwapMax=50",
                                       "TasksMax=18446744073709551615"}));
}

TEST(TranslateSystemd, limits_on_v1) {
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->shares = 1024;
    r.cpu->quota = -1;
    r.cpu->cpus = "0";
    r.memory = config::Memory{};
    r.memory->limit = -1;
    r.block_io = config::BlockIo{};
    r.block_io->weight = 100;
    const auto out = translate_systemd(r, Layout::v1);
    ASSERT_TRUE(out);
    EXPECT_EQ(lines(out->early), (Lines{"CPUShares=1024", "CPUQuotaPerSecUSec=18446744073709551615",
                                        "BlockIOWeight=100"}));
    EXPECT_EQ(lines(out->late), Lines{"MemoryLimit=18446744073709551615"});
}

TEST(TranslateSystemd, unified_keys_that_systemd_knows) {
    config::Resources r;
    r.unified = {{"memory.high", "max"}, {"cpu.max", "5000 10000"}, {"cpu.weight", "77"},
                 {"cpuset.mems", "1"},   {"pids.max", "9"},         {"io.latency", "x"}};
    const auto out = translate_systemd(r, Layout::v2);
    ASSERT_TRUE(out);
    EXPECT_EQ(lines(out->early), (Lines{"CPUQuotaPeriodUSec=10000", "CPUQuotaPerSecUSec=500000",
                                        "CPUWeight=77", "AllowedMemoryNodes=2"}));
    EXPECT_EQ(lines(out->late), (Lines{"MemoryHigh=18446744073709551615", "TasksMax=9"}));
}

TEST(UnitProperty, lines_there_and_back) {
    const UnitProperty property{"DeviceAllow", "a(ss)", {"/dev/char/1:3", "rwm"}};
    const auto text = property_line(property);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "DeviceAllow\ta(ss)\t/dev/char/1:3\trwm\n");
    EXPECT_EQ(*parse_property(text->substr(0, text->size() - 1)), property);
    EXPECT_EQ(*parse_property("DeviceAllow\ta(ss)"), (UnitProperty{"DeviceAllow", "a(ss)", {}}));
    EXPECT_FALSE(property_line({"Description", "s", {"a\nSlice\ts\tx.slice"}}));
    EXPECT_FALSE(parse_property("Description"));
}

class FakeBus final : public Bus {
  public:
    explicit FakeBus(Lines& log) : log_(log) {}
    Status start(const std::string& unit, const std::vector<UnitProperty>& p) override {
        return note("start " + unit, p);
    }
    Status set(const std::string& unit, const std::vector<UnitProperty>& p) override {
        return note("set " + unit, p);
    }
    Status stop(const std::string& unit) override { return note("stop " + unit, {}); }

  private:
    Status note(const std::string& what, const std::vector<UnitProperty>& properties) {
        log_.push_back(what);
        for (const UnitProperty& property : properties)
            log_.push_back(line(property));
        return {};
    }
    Lines& log_;
};

struct Fixture {
    Lines bus;
    FakeFiles* files = nullptr;
    std::unique_ptr<SystemdDriver> driver;

    Fixture() {
        auto fake = std::make_unique<FakeFiles>();
        files = fake.get();
        files->folders["/u"] = {{"cgroup.controllers", ""}, {"cgroup.subtree_control", ""}};
        FsSetup setup;
        setup.location = {{{"", "/u/a.slice/x-1.scope"}}, "x-1.scope"};
        setup.v2_mount = "/u";
        auto groups = std::make_unique<FsDriver>(std::move(fake), std::move(setup));
        driver = std::make_unique<SystemdDriver>(std::make_unique<FakeBus>(bus), std::move(groups),
                                                 UnitName{"x-1.scope", "a.slice"});
    }

    void systemd_makes_the_group() {
        files->folders["/u/a.slice"] = files->folders["/u"];
        files->folders["/u/a.slice/x-1.scope"] = {{"cgroup.procs", "42\n"},
                                                  {"cpu.weight", "100\n"},
                                                  {"cpu.max", "50000 100000\n"},
                                                  {"memory.max", "max\n"}};
    }
    bool told(const std::string& what) const { return std::ranges::count(bus, what) > 0; }
};

TEST(SystemdDriver, start_has_the_basics_and_memory_comes_at_the_end) {
    Fixture f;
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->shares = 2;
    r.memory = config::Memory{};
    r.memory->limit = 100;
    ASSERT_TRUE(f.driver->prepare(r));
    EXPECT_TRUE(f.bus.empty());
    EXPECT_TRUE(f.files->folders.contains("/u/a.slice/x-1.scope"));  // a mount of it can be opened
    EXPECT_FALSE(f.driver->clone_target()->valid());
    f.files->log.clear();
    f.systemd_makes_the_group();
    ASSERT_TRUE(f.driver->enter(42, r, Membership::but_memory));
    EXPECT_EQ(f.bus[0], "start x-1.scope");
    for (const char* part : {"Slice=a.slice", "Delegate=true", "PIDs=42", "MemoryAccounting=true",
                             "IOAccounting=true", "TasksAccounting=true",
                             "DefaultDependencies=false", "CPUWeight=1", "DevicePolicy=strict"})
        EXPECT_TRUE(f.told(part)) << part;
    EXPECT_FALSE(f.told("MemoryMax=100"));
    EXPECT_EQ(f.files->log, Lines{"/u/a.slice/x-1.scope/cpu.weight=1"});
    f.bus.clear();
    (void)f.driver->settle(42, r);  // the device filter needs a real kernel
    EXPECT_EQ(f.bus, (Lines{"set x-1.scope", "MemoryMax=100"}));
    EXPECT_EQ(f.files->log[1], "/u/a.slice/x-1.scope/memory.max=100");
}

TEST(SystemdDriver, a_start_that_fails_half_way_is_stopped) {
    Fixture f;
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->shares = 2;
    f.systemd_makes_the_group();
    f.files->failures["/u/a.slice/x-1.scope/cpu.weight"] = EINVAL;
    f.files->folders["/u/a.slice/x-1.scope"]["cgroup.procs"] = "";
    const Status failed = f.driver->enter(42, r, Membership::but_memory);
    ASSERT_FALSE(failed);
    EXPECT_EQ(f.bus.back(), "stop x-1.scope");
}

TEST(SystemdDriver, update_of_the_period_tells_systemd_the_quota_too) {
    Fixture f;
    f.systemd_makes_the_group();
    config::Resources r;
    r.cpu = config::Cpu{};
    r.cpu->period = 20000;
    ASSERT_TRUE(f.driver->update(r));
    EXPECT_EQ(f.bus,
              (Lines{"set x-1.scope", "CPUQuotaPeriodUSec=20000", "CPUQuotaPerSecUSec=2500000"}));
    EXPECT_EQ(f.files->log, Lines{"/u/a.slice/x-1.scope/cpu.max=50000 20000"});
}

TEST(SystemdDriver, a_used_group_is_refused_before_systemd_is_asked) {
    Fixture f;
    f.systemd_makes_the_group();
    const Status refused = f.driver->prepare({});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), Errc::bad_state);
    EXPECT_TRUE(f.bus.empty());
}

TEST(SystemdDriver, remove_stops_the_unit) {
    Fixture f;
    ASSERT_TRUE(f.driver->remove(0));
    EXPECT_EQ(f.bus, Lines{"stop x-1.scope"});
}

}  // namespace
}  // namespace hardrun::cgroup
