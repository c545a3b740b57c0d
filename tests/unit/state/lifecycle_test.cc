// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/lifecycle.h"

#include <gtest/gtest.h>

namespace hardrun::state {
namespace {

struct Row {
    Operation op;
    bool in[5];  // creating, created, running, paused, stopped
};
constexpr Row kRows[] = {
    {Operation::start, {false, true, false, false, false}},
    {Operation::kill, {true, true, true, true, false}},
    {Operation::pause, {false, true, true, false, false}},
    {Operation::resume, {false, false, false, true, false}},
    {Operation::exec, {false, true, true, false, false}},
    {Operation::update, {false, true, true, true, false}},
    {Operation::events, {false, true, true, true, false}},
    {Operation::remove, {false, true, false, false, true}},
};

TEST(Lifecycle, the_whole_table) {
    for (const Row& row : kRows)
        for (size_t s = 0; s < 5; ++s) {
            const auto state = static_cast<State>(s);
            EXPECT_EQ(allowed(row.op, state), row.in[s])
                << static_cast<int>(row.op) << " in " << name(state);
            const Status checked = check(row.op, state, "c1");
            EXPECT_EQ(static_cast<bool>(checked), row.in[s]);
            if (!checked) {
                EXPECT_EQ(checked.error().kind(), Errc::bad_state);
            }
        }
}

// containerd's shim and cri-o look for these words.
TEST(Lifecycle, refusals_have_the_words_that_engines_look_for) {
    EXPECT_EQ(check(Operation::kill, State::stopped, "c1").error().what(), "container not running");
    EXPECT_EQ(check(Operation::start, State::running, "c1").error().what(),
              "cannot start an already running container");
    EXPECT_EQ(check(Operation::start, State::stopped, "c1").error().what(),
              "cannot start a container that has stopped");
    EXPECT_EQ(check(Operation::remove, State::running, "c1").error().what(),
              "cannot delete container c1 that is not stopped: running");
    EXPECT_EQ(check(Operation::events, State::stopped, "c1").error().what(),
              "container with id c1 is not running");
}

TEST(Lifecycle, the_state_is_what_the_kernel_says) {
    constexpr Evidence kRunning{.complete = true, .init_alive = true};
    EXPECT_EQ(state_from(kRunning), State::running);
    Evidence e = kRunning;
    e.gate_closed = true;
    EXPECT_EQ(state_from(e), State::created);
    e.frozen = true;
    EXPECT_EQ(state_from(e), State::paused);
    e.init_alive = false;
    EXPECT_EQ(state_from(e), State::stopped);
    EXPECT_EQ(state_from({.creator_alive = true}), State::creating);
    EXPECT_EQ(state_from({.init_alive = true}), State::stopped) << "create died half-way";
}

}  // namespace
}  // namespace hardrun::state
