// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/kill.h"

#include <signal.h>

#include "runtime/cgroup/freeze.h"
#include "runtime/cgroup/groups.h"

namespace hardrun::cgroup {
namespace {

bool is_gone(const Status& status) {
    const int err = status.error().sys_errno();
    return err == ENOENT || err == ENODEV || err == ESRCH;
}

Status signal_each(Files& files, const std::string& folder, int signal) {
    HARDRUN_TRY(const std::vector<pid_t> pids, all_pids(files, folder));
    for (const pid_t pid : pids) {
        Status sent = files.signal(pid, signal);
        if (!sent && !is_gone(sent))
            return sent;
    }
    return {};
}

Status thaw_unless_gone(Files& files, const Freezer& freezer) {
    Status thawed = thaw_group(files, freezer);
    return !thawed && is_gone(thawed) ? Status() : thawed;
}

// Frozen, the group can neither fork nor be left, so the list is complete. The kill is only
// pending until the thaw, which must come whatever happened before.
Status kill_frozen(Files& files, const std::string& folder, const Freezer& freezer) {
    const Status frozen = freeze_group(files, freezer);
    Status killed = signal_each(files, folder, SIGKILL);
    HARDRUN_CHECK(thaw_unless_gone(files, freezer));
    if (killed && !frozen)
        return signal_each(files, folder, SIGKILL);  // once more for what was forked meanwhile
    return killed;
}

// The kernel's own way, which no fork can outrun. It ends v2-frozen groups too.
bool kill_by_kernel(Files& files, const Location& location) {
    const auto v2 = location.folders.find("");
    return v2 != location.folders.end() && files.write(v2->second, "cgroup.kill", "1");
}

}  // namespace

const std::string* process_folder(const Folders& folders) {
    for (const char* controller : {"freezer", "devices", "pids", "cpu", "name=systemd", ""})
        if (const auto found = folders.find(controller); found != folders.end())
            return &found->second;
    return folders.empty() ? nullptr : &folders.begin()->second;
}

Status signal_group(Files& files, const Location& location, int signal) {
    const std::string* folder = process_folder(location.folders);
    if (folder == nullptr)
        return Error(Errc::unsupported, "the container has no cgroup to find its processes by");
    const std::optional<Freezer> freezer = freezer_of(location);
    if (signal != SIGKILL)
        return signal_each(files, *folder, signal);
    const bool unified = location.folders.size() == 1 && location.folders.contains("");
    if (kill_by_kernel(files, location)) {
        if (unified)
            return {};
        // On a hybrid host v1's freezer holds back even a killed process, and one may have been
        // put into the v1 groups only.
        if (freezer)
            HARDRUN_CHECK(thaw_unless_gone(files, *freezer));
        return signal_each(files, *folder, SIGKILL);
    }
    if (freezer)
        return kill_frozen(files, *folder, *freezer);
    return signal_each(files, *folder, SIGKILL);
}

}  // namespace hardrun::cgroup
