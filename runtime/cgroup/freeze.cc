// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/freeze.h"

#include <algorithm>

#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

constexpr int kTimeoutMs = 10'000;

Status write_state(Files& files, const Freezer& freezer, bool frozen) {
    if (freezer.kind == Freezer::Kind::v1)
        return files.write(freezer.folder, "freezer.state", frozen ? "FROZEN" : "THAWED");
    return files.write(freezer.folder, "cgroup.freeze", frozen ? "1" : "0");
}

FreezerState state_v2(const std::string& events, const std::string& wanted) {
    for (const std::string_view line : split(events, '\n'))
        if (line == "frozen 1")
            return FreezerState::frozen;
    return trim(wanted) == "1" ? FreezerState::freezing : FreezerState::thawed;
}

// v1 overlooks a process that was forked meanwhile; asking again finds it, and a thaw in between
// lets one go on that waits for a frozen one.
Status ask_again(Files& files, const Freezer& freezer, int round) {
    if (freezer.kind == Freezer::Kind::v2)
        return {};
    if (round % 50 == 0)
        HARDRUN_CHECK(write_state(files, freezer, false));
    return write_state(files, freezer, true);
}

}  // namespace

std::optional<Freezer> freezer_of(const Location& location) {
    if (const auto v1 = location.folders.find("freezer"); v1 != location.folders.end())
        return Freezer{Freezer::Kind::v1, v1->second};
    if (const auto v2 = location.folders.find(""); v2 != location.folders.end())
        return Freezer{Freezer::Kind::v2, v2->second};
    return {};
}

Status freeze_group(Files& files, const Freezer& freezer) {
    int waited = 0;
    int pause = 1;
    HARDRUN_CHECK(write_state(files, freezer, true));
    for (int round = 1; waited < kTimeoutMs; ++round) {
        HARDRUN_TRY(const FreezerState state, state_of(files, freezer));
        if (state == FreezerState::frozen)
            return {};
        HARDRUN_CHECK(ask_again(files, freezer, round));
        files.wait_ms(pause);
        waited += pause;
        pause = std::min(pause + 1, 10);
    }
    (void)write_state(files, freezer, false);  // the time that ran out is what counts
    return Error(Errc::kernel, "freeze " + freezer.folder + ": some process did not stop within " +
                                   std::to_string(kTimeoutMs / 1000) + " s; the group is thawed");
}

Status thaw_group(Files& files, const Freezer& freezer) {
    return write_state(files, freezer, false);
}

Result<FreezerState> state_of(Files& files, const Freezer& freezer) {
    if (freezer.kind == Freezer::Kind::v2) {
        HARDRUN_TRY(const std::string wanted, files.read(freezer.folder, "cgroup.freeze"));
        HARDRUN_TRY(const std::string events, files.read(freezer.folder, "cgroup.events"));
        return state_v2(events, wanted);
    }
    HARDRUN_TRY(const std::string text, files.read(freezer.folder, "freezer.state"));
    const std::string_view state = trim(text);
    if (state == "FROZEN")
        return FreezerState::frozen;
    return state == "FREEZING" ? FreezerState::freezing : FreezerState::thawed;
}

}  // namespace hardrun::cgroup
