// SPDX-License-Identifier: Apache-2.0
// The order of init's calls, and that a failure of any one of them ends in a report and never in
// the program.
#include "runtime/init/steps.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/full_plan.h"
#include "tests/support/recording_kernel.h"

namespace hardrun::init {
namespace {

using test::Call;
using test::FullPlan;
using test::RecordingKernel;

struct Outcome {
    RecordingKernel kernel;
    Message failure;
};

void run(Outcome& out, void (FullPlan::*mode)() = nullptr) {
    FullPlan full;
    if (mode != nullptr)
        (full.*mode)();
    out.kernel.missing = {"data/file", "data", "work"};
    out.failure = run_steps(full.plan, out.kernel);
}

size_t at(const RecordingKernel& k, long nr, const std::string& text = "") {
    const auto index = k.first(nr, text);
    EXPECT_TRUE(index) << "no call " << nr << " " << text;
    return index.value_or(0);
}

size_t prctl_at(const RecordingKernel& k, long option, long value) {
    for (size_t i = 0; i < k.calls().size(); ++i) {
        const Call& c = k.calls()[i];
        if (c.nr == SYS_prctl && c.args[0] == option && c.args[1] == value)
            return i;
    }
    ADD_FAILURE() << "no prctl " << option << " " << value;
    return 0;
}

TEST(InitSteps, create_comes_to_the_program) {
    Outcome o;
    run(o);
    EXPECT_EQ(o.failure.step, Step::exec);
    EXPECT_EQ(o.failure.err, ENOEXEC) << "the fake exec came back";
    EXPECT_EQ(o.kernel.count(SYS_execve), 1U);
    EXPECT_EQ(o.kernel.calls()[at(o.kernel, SYS_execve)].text, "/bin/sh");
}

TEST(InitSteps, what_was_open_is_closed_for_the_program_before_anything_else) {
    Outcome o;
    run(o);
    const size_t closed = at(o.kernel, SYS_close_range);
    EXPECT_EQ(o.kernel.calls()[closed].args[0], 5) << "3 and the two preserved ones";
    for (size_t i = 0; i < closed; ++i)
        EXPECT_EQ(o.kernel.calls()[i].nr, SYS_prctl) << i;
    EXPECT_LT(prctl_at(o.kernel, PR_SET_DUMPABLE, 0), at(o.kernel, SYS_setns));
}

TEST(InitSteps, order_of_what_protects) {
    Outcome o;
    run(o);
    const RecordingKernel& k = o.kernel;
    const size_t exec = at(k, SYS_execve);
    const size_t seccomp = at(k, SYS_seccomp);
    EXPECT_EQ(seccomp + 1, exec) << "a filter may forbid whatever came after it";
    EXPECT_LT(prctl_at(k, PR_SET_NO_NEW_PRIVS, 1), seccomp);
    EXPECT_LT(at(k, SYS_pivot_root), k.last(SYS_setresuid));
    EXPECT_LT(at(k, SYS_move_mount), at(k, SYS_pivot_root));
    EXPECT_LT(at(k, SYS_openat2, "proc/kcore"), at(k, SYS_pivot_root)) << "masked before";
    EXPECT_LT(at(k, SYS_openat2, "data/file"), at(k, SYS_openat2, "proc/kcore"));
    EXPECT_LT(at(k, SYS_unshare), at(k, SYS_fsopen, "sysfs"));
    EXPECT_LT(at(k, SYS_pivot_root), at(k, SYS_umount2, "."));
    EXPECT_LT(k.last(SYS_umount2), k.last(SYS_accept4)) << "no old root while it waits";
    EXPECT_LT(k.last(SYS_accept4), k.last(SYS_setns)) << "the cell comes after start";
    EXPECT_LT(k.last(SYS_setns), seccomp);
    EXPECT_LT(k.last(SYS_setresuid), k.first(SYS_getresuid)) << "read back";
    EXPECT_LT(k.first(SYS_getresuid), k.first(SYS_accept4));
}

TEST(InitSteps, bounding_set_goes_before_the_ids) {
    Outcome o;
    run(o);
    const uint64_t wanted = uint64_t{1} << CAP_CHOWN | uint64_t{1} << CAP_KILL;
    EXPECT_EQ(o.kernel.bounding, wanted);
    size_t last_drop = 0;
    for (size_t i = 0; i < o.kernel.calls().size(); ++i)
        if (o.kernel.calls()[i].nr == SYS_prctl && o.kernel.calls()[i].args[0] == PR_CAPBSET_DROP)
            last_drop = i;
    EXPECT_LT(last_drop, o.kernel.last(SYS_setresuid));
}

TEST(InitSteps, exec_makes_no_mounts_and_checks_the_root) {
    Outcome o;
    run(o, &FullPlan::make_exec);
    EXPECT_EQ(o.failure.step, Step::exec);
    EXPECT_EQ(o.kernel.count(SYS_move_mount), 0U);
    EXPECT_EQ(o.kernel.count(SYS_pivot_root), 0U);
    EXPECT_EQ(o.kernel.count(SYS_execve), 1U);

    FullPlan other;
    other.make_exec();
    other.plan.expected_root.inode = 99;
    RecordingKernel kernel;
    const Message failure = run_steps(other.plan, kernel);
    EXPECT_EQ(failure.step, Step::verify_root);
    EXPECT_EQ(failure.err, EXDEV);
    EXPECT_EQ(kernel.count(SYS_execve), 0U);
}

TEST(InitSteps, a_change_of_ids_that_did_not_happen_is_noticed) {
    Outcome o;
    o.kernel.lies_about_ids = true;
    run(o);
    EXPECT_EQ(o.failure.step, Step::verify_identity);
    EXPECT_EQ(o.kernel.count(SYS_execve), 0U);
}

TEST(InitSteps, every_program_gets_a_report_of_its_failure) {
    Outcome o;
    o.kernel.fail_at = 0;
    run(o);
    ASSERT_FALSE(o.kernel.sent().empty());
    EXPECT_EQ(o.kernel.sent().back().word, Word::failed);
    EXPECT_EQ(o.kernel.sent().back().err, EPERM);
    EXPECT_EQ(o.kernel.sent().back().call, SYS_prctl);
}

// The calls whose failure a comment in the source lets pass. Each may still be reported.
bool may_pass(const RecordingKernel& k, size_t index) {
    const Call& c = k.calls()[index];
    switch (c.nr) {
        case SYS_close:     // of descriptors that hold no data
        case SYS_umask:     // cannot fail
        case SYS_unlinkat:  // of /dev/ptmx, mostly not there
        case SYS_setsid:    // EPERM: it leads a session already
            return true;
        case SYS_setgroups:  // denied in some user namespaces: entry_steps.cc
            return c.args[0] == 0 && c.args[1] == 0;
        case SYS_statx:  // a new device node seen by name: it is then looked at by descriptor
            return !c.text.empty();
        case SYS_fchownat:  // tmpcopyup: an owner that the user namespace does not map
            return c.text.empty();
        case SYS_openat2:  // an image without passwd; whether a mount's target was there
            return c.text == "/etc/passwd" || c.text == "run";
        case SYS_recvfrom:  // whoever came to the gate went without a word: the next one may
            return k.first(SYS_accept4) && *k.first(SYS_accept4) < index;
        default:
            return false;
    }
}

void fail_every_call(void (FullPlan::*mode)()) {
    Outcome clean;
    run(clean, mode);
    const size_t exec = at(clean.kernel, SYS_execve);
    for (size_t i = 0; i <= exec; ++i) {
        Outcome o;
        o.kernel.fail_at = i;
        run(o, mode);
        const Call& failed = o.kernel.calls().at(i);
        SCOPED_TRACE("call " + std::to_string(i) + ", number " + std::to_string(failed.nr) + " " +
                     failed.text);
        const auto executed = o.kernel.last(SYS_execve);
        if (may_pass(o.kernel, i) && executed)
            continue;
        EXPECT_EQ(o.failure.word, Word::failed);
        EXPECT_EQ(o.failure.err, EPERM);
        EXPECT_EQ(o.failure.call, failed.nr);
        EXPECT_TRUE(!executed || *executed == i) << "the program ran after a failure";
        ASSERT_FALSE(o.kernel.sent().empty());
        EXPECT_EQ(o.kernel.sent().back().word, Word::failed);
        EXPECT_EQ(o.kernel.sent().back().step, o.failure.step);
    }
}

TEST(InitSteps, no_failure_of_any_call_leads_to_the_program_create) {
    fail_every_call(nullptr);
}

TEST(InitSteps, no_failure_of_any_call_leads_to_the_program_exec) {
    fail_every_call(&FullPlan::make_exec);
}

TEST(InitSteps, no_failure_of_any_call_leads_to_the_program_hook) {
    fail_every_call(&FullPlan::make_hook);
}

}  // namespace
}  // namespace hardrun::init
