// SPDX-License-Identifier: Apache-2.0
// The cgroup drivers on this host's real hierarchies. Needs root. Every group is named after this
// process and removed again; none that exists is touched.
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cgroup/detect.h"
#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/oom.h"

namespace {

using namespace hardrun;
using namespace hardrun::cgroup;

// A process that does nothing, ended with the test.
class Sleeper {
  public:
    Sleeper() : pid_(::fork()) {
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            while (true)
                ::pause();
        }
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper() {
        ::kill(pid_, SIGKILL);
        reap();
    }
    pid_t pid() const { return pid_; }
    int reap() {
        int status = -1;
        ::waitpid(pid_, &status, 0);
        return status;
    }

  private:
    pid_t pid_;
};

enum class Kind { cgroupfs, systemd };

class CgroupTest : public testing::TestWithParam<Kind> {
  protected:
    void SetUp() override {
        if (::geteuid() != 0)
            GTEST_SKIP() << "needs root to make cgroups";
        static int count = 0;
        name_ = "hardrun-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
        if (GetParam() == Kind::systemd && ::access("/run/systemd/system", F_OK) != 0)
            GTEST_SKIP() << "systemd is not running here";
        auto made = make_driver(request());
        ASSERT_TRUE(made) << made.error().what();
        driver_ = *std::move(made);
    }

    Request request() const {
        Request request;
        request.id = name_;
        request.systemd = GetParam() == Kind::systemd;
        request.cgroups_path =
            request.systemd ? "hardrun-tests.slice:hardrun:" + name_ : "/" + name_;
        return request;
    }

    void TearDown() override {
        if (!driver_)
            return;
        (void)driver_->signal_all(SIGKILL);
        Status removed = driver_->remove(2000);
        EXPECT_TRUE(removed) << removed.error().what();
        for (const auto& [controller, folder] : driver_->location().folders)
            EXPECT_NE(::access(folder.c_str(), F_OK), 0) << folder;
    }

    bool v2() const { return driver_->location().folders.size() == 1; }

    std::string folder(const std::string& controller) const {
        const auto& folders = driver_->location().folders;
        const auto found = folders.find(v2() ? "" : controller);
        return found == folders.end() ? "" : found->second;
    }

    std::string value(const std::string& controller, const std::string& file) const {
        const auto text = read_file(FdRef::cwd(), folder(controller) + "/" + file);
        return text ? std::string(trim(*text)) : "(" + text.error().what() + ")";
    }

    void ok(const Status& status) { ASSERT_TRUE(status) << status.error().what(); }

    void start(pid_t pid, const config::Resources& resources) {
        ok(driver_->prepare(resources));
        ok(driver_->enter(pid, resources, Membership::but_memory));
        ok(driver_->settle(pid, resources));
    }

    std::string name_;
    std::unique_ptr<Driver> driver_;
};

config::Resources some_limits() {
    config::Resources r;
    r.memory = config::Memory{};
    r.memory->limit = 64 << 20;
    r.pids_limit = 7;
    r.cpu = config::Cpu{};
    r.cpu->shares = 512;
    r.cpu->quota = 50000;
    r.cpu->period = 100000;
    r.devices = {{false, 'a', {}, {}, true, true, true}};
    return r;
}

TEST_P(CgroupTest, limits_are_set_and_the_process_is_inside) {
    const Sleeper process;
    start(process.pid(), some_limits());
    const auto pids = driver_->pids();
    ASSERT_TRUE(pids) << pids.error().what();
    EXPECT_EQ(*pids, std::vector<pid_t>{process.pid()});
    EXPECT_EQ(value("memory", "cgroup.procs"), std::to_string(process.pid()));
    EXPECT_EQ(value("pids", "pids.max"), "7");
    EXPECT_EQ(value("memory", v2() ? "memory.max" : "memory.limit_in_bytes"), "67108864");
    EXPECT_EQ(value("cpu", v2() ? "cpu.max" : "cpu.cfs_quota_us"), v2() ? "50000 100000" : "50000");
    EXPECT_EQ(value("cpu", v2() ? "cpu.weight" : "cpu.shares"), v2() ? "20" : "512");
}

TEST_P(CgroupTest, a_process_can_be_cloned_into_a_v2_group) {
    ok(driver_->prepare({}));
    const auto target = driver_->clone_target();
    ASSERT_TRUE(target) << target.error().what();
    if (!target->valid())
        GTEST_SKIP() << "v1 or systemd: there is nothing to clone into";
    clone_args args{};
    args.flags = CLONE_INTO_CGROUP;
    args.exit_signal = SIGCHLD;
    args.cgroup = static_cast<uint64_t>(target->get());
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
    if (pid == 0)
        while (true)
            ::pause();
    ASSERT_GT(pid, 0);
    EXPECT_EQ(*driver_->pids(), std::vector<pid_t>{pid});
    ok(driver_->settle(pid, some_limits()));
    ok(driver_->signal_all(SIGKILL));
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_P(CgroupTest, how_long_the_steps_take) {
    const Sleeper process;
    const auto resources = some_limits();
    using Clock = std::chrono::steady_clock;
    const auto us = [](Clock::time_point a, Clock::time_point b) {
        return std::chrono::duration_cast<std::chrono::microseconds>(b - a).count();
    };
    const auto t0 = Clock::now();
    ok(driver_->prepare(resources));
    const auto t1 = Clock::now();
    ok(driver_->enter(process.pid(), resources, Membership::but_memory));
    const auto t2 = Clock::now();
    ok(driver_->settle(process.pid(), resources));
    const auto t3 = Clock::now();
    std::cout << name_ << ": prepare " << us(t0, t1) << " us, enter " << us(t1, t2)
              << " us, settle " << us(t2, t3) << " us\n";
}

TEST_P(CgroupTest, a_group_in_use_is_refused_and_left_alone) {
    const Sleeper process;
    start(process.pid(), {});
    auto second = make_driver(request());
    ASSERT_TRUE(second);
    const Status refused = (*second)->prepare({});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), Errc::bad_state);
    EXPECT_EQ(driver_->pids()->size(), 1U);
}

TEST_P(CgroupTest, a_failed_start_leaves_nothing) {
    const Sleeper process;
    config::Resources resources;
    resources.cpu = config::Cpu{};
    resources.cpu->cpus = "9999";
    Status failed = driver_->prepare(resources);
    if (failed)  // systemd makes the group only now
        failed = driver_->enter(process.pid(), resources, Membership::but_memory);
    ASSERT_FALSE(failed);
    // systemd may refuse the list itself, and then names the unit only.
    const std::string& said = failed.error().what();
    EXPECT_TRUE(said.find("linux.resources.cpu.cpus") != std::string::npos ||
                (GetParam() == Kind::systemd && said.find(name_) != std::string::npos))
        << failed.error().what();
    for (const auto& [controller, path] : driver_->location().folders)
        EXPECT_NE(::access(path.c_str(), F_OK), 0) << path;
}

TEST_P(CgroupTest, freeze_thaw_and_kill) {
    Sleeper process;
    start(process.pid(), {});
    EXPECT_EQ(*driver_->freezer_state(), FreezerState::thawed);
    ok(driver_->freeze());
    EXPECT_EQ(*driver_->freezer_state(), FreezerState::frozen);
    ok(driver_->thaw());
    EXPECT_EQ(*driver_->freezer_state(), FreezerState::thawed);
    ok(driver_->freeze());
    ok(driver_->signal_all(SIGKILL));
    EXPECT_EQ(process.reap(), SIGKILL);
}

TEST_P(CgroupTest, update_of_one_value_leaves_the_others) {
    const Sleeper process;
    start(process.pid(), some_limits());
    config::Resources change;
    change.cpu = config::Cpu{};
    change.cpu->period = 20000;
    ok(driver_->update(change));
    EXPECT_EQ(value("cpu", v2() ? "cpu.max" : "cpu.cfs_quota_us"), v2() ? "50000 20000" : "50000");
    change.cpu = config::Cpu{};
    change.cpu->quota = -1;
    ok(driver_->update(change));
    EXPECT_EQ(value("cpu", v2() ? "cpu.max" : "cpu.cfs_quota_us"), v2() ? "max 20000" : "-1");
    config::Resources more;
    more.pids_limit = -1;
    ok(driver_->update(more));
    EXPECT_EQ(value("pids", "pids.max"), "max");
    EXPECT_EQ(value("memory", v2() ? "memory.max" : "memory.limit_in_bytes"), "67108864");
}

TEST_P(CgroupTest, memory_and_swap_go_up_and_down) {
    const Sleeper process;
    start(process.pid(), some_limits());
    for (const int64_t limit : {int64_t{128} << 20, int64_t{32} << 20, int64_t{256} << 20}) {
        config::Resources change;
        change.memory = config::Memory{};
        change.memory->limit = limit;
        change.memory->swap = limit * 2;
        ok(driver_->update(change));
        EXPECT_EQ(value("memory", v2() ? "memory.max" : "memory.limit_in_bytes"),
                  std::to_string(limit));
    }
    config::Resources off;
    off.memory = config::Memory{};
    off.memory->limit = -1;
    ok(driver_->update(off));
}

TEST_P(CgroupTest, groups_below_are_removed_too) {
    const Sleeper process;
    start(process.pid(), {});
    ASSERT_EQ(::mkdir((folder("pids") + "/a").c_str(), 0755), 0);
    ASSERT_EQ(::mkdir((folder("pids") + "/a/b").c_str(), 0755), 0);
    const Sleeper second;
    ok(driver_->join(second.pid(), v2() ? "a/b" : "pids:a/b"));
    EXPECT_FALSE(driver_->join(second.pid(), "../x"));
}

TEST_P(CgroupTest, open_driver_finds_the_groups_again) {
    const Sleeper process;
    start(process.pid(), {});
    auto again = open_driver(driver_->location());
    ASSERT_TRUE(again);
    EXPECT_EQ((*again)->pids()->size(), 1U);
    ok((*again)->signal_all(SIGKILL));
    ok((*again)->remove(2000));
    ok((*again)->remove(0));  // gone already
}

// In a child: joins the group, then says what open() of the device answers (0 or errno).
int open_inside(Driver& driver, const config::Resources& resources, dev_t device, int flags) {
    int gate[2];
    if (::pipe(gate) != 0)
        return -1;
    const pid_t pid = ::fork();
    if (pid == 0) {
        char go = 0;
        (void)!::read(gate[0], &go, 1);
        const std::string path = "/tmp/hardrun-device-" + std::to_string(::getpid());
        if (::mknod(path.c_str(), S_IFCHR | 0600, device) != 0)
            ::_exit(200);
        const int fd = ::open(path.c_str(), flags);
        const int err = fd < 0 ? errno : 0;
        ::unlink(path.c_str());
        ::_exit(err);
    }
    (void)resources;
    const Status joined = driver.join(pid, "");
    EXPECT_TRUE(joined) << joined.error().what();
    (void)!::write(gate[1], "x", 1);
    int status = 0;
    ::waitpid(pid, &status, 0);
    ::close(gate[0]);
    ::close(gate[1]);
    return WEXITSTATUS(status);
}

TEST_P(CgroupTest, device_rules_hold_and_can_be_exchanged) {
    const Sleeper process;
    config::Resources r;
    r.devices = {{false, 'a', {}, {}, true, true, true}};
    start(process.pid(), r);
    EXPECT_EQ(open_inside(*driver_, r, makedev(1, 3), O_RDWR), 0);         // null
    EXPECT_EQ(open_inside(*driver_, r, makedev(1, 11), O_RDONLY), EPERM);  // kmsg; mknod works
    r.devices.push_back({true, 'c', 1, 11, true, false, false});
    ok(driver_->update(r));
    EXPECT_EQ(open_inside(*driver_, r, makedev(1, 11), O_RDONLY), 0);
    EXPECT_EQ(open_inside(*driver_, r, makedev(1, 11), O_WRONLY), EPERM);
    r.devices.pop_back();
    ok(driver_->update(r));
    EXPECT_EQ(open_inside(*driver_, r, makedev(1, 11), O_RDONLY), EPERM);
    EXPECT_EQ(open_inside(*driver_, r, makedev(1, 5), O_RDONLY), 0);
    r.devices = {{true, 'a', {}, {}, true, true, true}};
    ok(driver_->update(r));
    // systemd takes its own filter off a little after it answered.
    int answer = EPERM;
    for (int i = 0; i < 100 && answer == EPERM; ++i) {
        sleep_ms(10);
        answer = open_inside(*driver_, r, makedev(1, 11), O_RDONLY);
    }
    EXPECT_EQ(answer, 0);
}

TEST_P(CgroupTest, running_out_of_memory_is_told) {
    int gate[2];
    ASSERT_EQ(::pipe(gate), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
        char go = 0;
        (void)!::read(gate[0], &go, 1);
        while (true) {
            void* p = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            if (p == MAP_FAILED)
                ::_exit(1);
        }
    }
    config::Resources limits;
    limits.memory = config::Memory{};
    limits.memory->limit = 16 << 20;
    limits.memory->swap = 16 << 20;
    start(pid, limits);
    auto watch = watch_oom(driver_->location());
    ASSERT_TRUE(watch) << watch.error().what();
    (void)!::write(gate[1], "x", 1);
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    pollfd ready{(*watch)->fd().get(), POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, 5000), 1);
    const auto news = (*watch)->take();
    ASSERT_TRUE(news) << news.error().what();
    EXPECT_EQ(*news, OomNews::oom);
    ::close(gate[0]);
    ::close(gate[1]);
}

TEST_P(CgroupTest, stats_are_json) {
    const Sleeper process;
    start(process.pid(), some_limits());
    const auto stats = driver_->stats_json();
    ASSERT_TRUE(stats) << stats.error().what();
    EXPECT_NE(stats->find("\"limit\":67108864"), std::string::npos) << *stats;
}

INSTANTIATE_TEST_SUITE_P(Drivers, CgroupTest, testing::Values(Kind::cgroupfs, Kind::systemd),
                         [](const auto& test) {
                             return test.param == Kind::systemd ? "systemd" : "cgroupfs";
                         });

}  // namespace
