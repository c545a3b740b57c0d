// SPDX-License-Identifier: Apache-2.0
#include "hooks/runner.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/base/clock.h"
#include "tests/support/temp_dir.h"

namespace hardrun::hooks {
namespace {

class HookRunner : public testing::Test {
  protected:
    Hook shell(const std::string& script) const {
        return {.json_path = "hooks.prestart[0]",
                .path = "/bin/sh",
                .args = {"sh", "-c", script},
                .env = {"OUT=" + dir_.path() + "/out", "PATH=/usr/bin:/bin"}};
    }
    Surroundings around(std::string state = "{}") const {
        return {.state_json = std::move(state), .folder = dir_.path(), .watched_pidfd = {}};
    }
    std::string out() const { return test::slurp(dir_.path() + "/out"); }
    test::TempDir dir_;
};

TEST_F(HookRunner, gets_the_state_in_its_folder) {
    const std::string state = R"({"id":"c1","pid":7})";
    const Status ran = run(shell("cat > $OUT; pwd >> $OUT"), around(state));
    ASSERT_TRUE(ran) << ran.error().what();
    EXPECT_EQ(out(), state + dir_.path() + "\n");
}

// C33: nothing of hardrun's own environment, also where the hook lists none.
TEST_F(HookRunner, has_exactly_the_listed_environment) {
    ASSERT_EQ(::setenv("SECRET_TOKEN", "abc", 1), 0);
    Hook hook = shell("");
    hook.path = "/usr/bin/env";
    hook.args = {"env", "sh", "-c", "/usr/bin/env > " + dir_.path() + "/out"};
    hook.env = {"X=1", "PATH=/usr/bin:/bin"};
    const Status ran = run(hook, around());
    ::unsetenv("SECRET_TOKEN");
    ASSERT_TRUE(ran) << ran.error().what();
    EXPECT_NE(out().find("X=1\n"), std::string::npos);
    EXPECT_EQ(out().find("SECRET"), std::string::npos) << out();
}

TEST_F(HookRunner, which_reads_nothing_is_fine) {
    const Status ran = run(shell("exec <&-; sleep 0.1"), around(std::string(1 << 20, 'x')));
    EXPECT_TRUE(ran) << ran.error().what();
    const Status quick = run(shell("exit 0"), around(std::string(1 << 20, 'x')));
    EXPECT_TRUE(quick) << quick.error().what();
}

TEST_F(HookRunner, leaves_the_callers_sigpipe_as_it_was) {
    struct sigaction before {};
    struct sigaction after {};
    ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &before), 0);
    ASSERT_TRUE(run(shell("exit 0"), around()));
    ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &after), 0);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
    const Status ran = run(shell("grep SigIgn /proc/self/status > $OUT"), around());
    ASSERT_TRUE(ran);
    EXPECT_EQ(out(), "SigIgn:\t0000000000000000\n") << "the hook ignores no signal";
}

TEST_F(HookRunner, is_killed_with_its_children_after_its_time) {
    Hook hook = shell("sleep 30 & echo $! > $OUT; echo late >&2; wait");
    hook.timeout_seconds = 1;
    const int64_t begin = monotonic_ms();
    const Status ran = run(hook, around());
    EXPECT_LT(monotonic_ms() - begin, 3000);
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().what(),
              "hooks.prestart[0] (/bin/sh): killed after its timeout of 1 s: late");
    const pid_t child = std::atoi(out().c_str());
    ASSERT_GT(child, 0);
    for (int i = 0; i < 100 && ::kill(child, 0) == 0; ++i) {
        const std::string stat = test::slurp("/proc/" + std::to_string(child) + "/stat");
        if (stat.find(") Z ") != std::string::npos)
            return;  // dead, and nobody waits for it
        sleep_ms(20);
    }
    EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(HookRunner, failures_name_the_hook_how_it_ended_and_its_last_words) {
    EXPECT_EQ(run(shell("echo one >&2; echo two >&2; exit 3"), around()).error().what(),
              "hooks.prestart[0] (/bin/sh): exit status 3: two");
    EXPECT_EQ(run(shell("kill -9 $$"), around()).error().what(),
              "hooks.prestart[0] (/bin/sh): ended by signal 9");
    Hook missing = shell("");
    missing.path = "/no/such/hook";
    EXPECT_EQ(run(missing, around()).error().what(),
              "hooks.prestart[0] (/no/such/hook): exit status 127: No such file or directory");
}

TEST_F(HookRunner, ends_when_the_container_does) {
    const pid_t container = ::fork();
    if (container == 0) {
        sleep_ms(200);
        ::_exit(0);
    }
    const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, container, 0)));
    Surroundings s = around();
    s.watched_pidfd = pidfd.get();
    const int64_t begin = monotonic_ms();
    const Status ran = run(shell("sleep 30"), s);
    EXPECT_LT(monotonic_ms() - begin, 5000);
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().kind(), Errc::bad_state);
    ::waitpid(container, nullptr, 0);
}

TEST_F(HookRunner, has_no_descriptors_but_the_standard_ones) {
    const Fd open(::open("/dev/null", O_RDONLY));  // without close-on-exec
    ASSERT_TRUE(run(shell("for f in /proc/self/fd/*; do case $f in */0|*/1|*/2) ;; "
                          "*) [ -e $f ] && echo $f >> $OUT ;; esac; done; true"),
                    around()));
    EXPECT_EQ(out().find("/proc/self/fd/" + std::to_string(open.get()) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace hardrun::hooks
