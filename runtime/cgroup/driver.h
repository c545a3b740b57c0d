// SPDX-License-Identifier: Apache-2.0
// One container's cgroup, whatever the host has: v1 hierarchies, hybrid, v2, made by hand or by
// systemd. WHAT a limit looks like is translation (translate_*.h, pure); WHO makes the group is the
// driver. Only make_driver() asks which one it is. cgroups(7), cgroup-v1, cgroup-v2 of the kernel's
// documentation.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/spec.h"
#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::cgroup {

// Where a container's groups are: enough to find them again from the record alone.
// Key: the v1 controller ("memory", "name=systemd"), or "" for v2. Value: absolute folder.
struct Location {
    std::map<std::string, std::string> folders;
    std::string systemd_unit;  // "docker-ID.scope" when systemd made it, else empty
};

// A cgroup namespace takes its root from the groups a process is in, so it needs all of them at
// once; else the v1 memory group comes last, for init must not be charged for its own set-up.
enum class Membership : uint8_t { but_memory, all };

enum class FreezerState : uint8_t { thawed, freezing, frozen };

class Driver {
  public:
    virtual ~Driver() = default;
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    // Makes the groups with every limit but memory's, the pids limit and the device rules, which
    // would hit init while it still sets up. Refuses a group that is frozen or holds processes.
    // Undoes its own work on failure.
    virtual Status prepare(const config::Resources& resources) = 0;

    // A descriptor of the v2 group for clone3(CLONE_INTO_CGROUP), or an invalid one where enter()
    // is needed.
    virtual Result<Fd> clone_target() = 0;

    // Puts the process in. systemd: starts the scope and waits for its job.
    virtual Status enter(pid_t pid, const config::Resources& resources, Membership membership) = 0;

    // The last step before the workload may run: memory membership, the late limits,
    // the device rules.
    virtual Status settle(pid_t pid, const config::Resources& resources) = 0;

    // A further process (exec) into the complete group. `sub` is runc's exec --cgroup, below the
    // group.
    virtual Status join(pid_t pid, const std::string& sub) = 0;

    virtual Status update(const config::Resources& resources) = 0;

    virtual Status freeze() = 0;
    virtual Status thaw() = 0;
    virtual Result<FreezerState> freezer_state() = 0;

    // Every process in the group and below it, in host pids.
    virtual Result<std::vector<pid_t>> pids() = 0;

    // Signals every process; SIGKILL ends even a frozen group (cgroup.kill, or freeze-kill-thaw on
    // v1).
    virtual Status signal_all(int signal) = 0;

    // The `data` object of runc's `events --stats`, as JSON text.
    virtual Result<std::string> stats_json() = 0;

    // Removes the groups, children first; waits for the kernel up to `timeout_ms`. Gone already:
    // success.
    virtual Status remove(int timeout_ms) = 0;

    virtual const Location& location() const = 0;
};

struct Request {
    std::string id;
    std::string cgroups_path;  // config.json's linux.cgroupsPath, may be empty
    bool systemd = false;      // --systemd-cgroup: cgroups_path is "slice:prefix:name"
    bool rootless = false;     // groups that cannot be made are left out
};

// Finds out what this host has and where the groups will be; touches nothing.
Result<std::unique_ptr<Driver>> make_driver(const Request& request);

// The driver of an existing container, from its record.
Result<std::unique_ptr<Driver>> open_driver(const Location& location);

}  // namespace hardrun::cgroup
