// SPDX-License-Identifier: Apache-2.0
// The driver that makes the groups by hand, on v1, hybrid and v2. One class: they differ in the
// folders and the translation, not in what is done with them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/undo.h"
#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/files.h"
#include "runtime/cgroup/writes.h"

namespace hardrun::cgroup {

enum class Absence : uint8_t { is_error, is_left_out };  // of groups that cannot be made

struct FsSetup {
    Location location;
    std::string v2_mount;  // where controllers are enabled from; needed by prepare only
    Absence absence = Absence::is_error;
};

class FsDriver final : public Driver {
  public:
    FsDriver(std::unique_ptr<Files> files, FsSetup setup);

    Status prepare(const config::Resources& resources) override;
    Result<Fd> clone_target() override;
    Status enter(pid_t pid, const config::Resources& resources, Membership membership) override;
    Status settle(pid_t pid, const config::Resources& resources) override;
    Status join(pid_t pid, const std::string& sub) override;
    Status update(const config::Resources& resources) override;
    Status freeze() override;
    Status thaw() override;
    Result<FreezerState> freezer_state() override;
    Result<std::vector<pid_t>> pids() override;
    Status signal_all(int signal) override;
    Result<std::string> stats_json() override;
    Status remove(int timeout_ms) override;
    const Location& location() const override { return setup_.location; }

    // For the systemd driver. Beforehand: makes the empty folders, which systemd then takes over,
    // so that mounts of them can be opened before init is placed. Afterwards: adds what systemd
    // left out (v1 hierarchies, controllers, limits).
    Status reserve();
    Status complete(const config::Resources& resources);

    // With quota and period both, where one of them is given: systemd keeps only their quotient,
    // and would change the other one.
    Result<config::Resources> with_both_of_cpu(const config::Resources& resources);

  private:
    bool unified() const;
    std::set<std::string> folder_set() const;                 // v1 controllers may share one
    enum class Former : uint8_t { must_be_unused, is_ours };  // a group that was there before
    Status make_all(UndoStack& undo, Former former);
    Status make_limited(const config::Resources& resources, Former former);
    Status enter_folder(pid_t pid, const std::string& folder);
    enum class DeviceState : uint8_t { fresh, in_use };
    Result<Translation> translate(const config::Resources& resources) const;
    Result<Translation> translate_update(const config::Resources& resources) const;
    Status apply_devices(const config::Resources& resources, DeviceState state);

    std::unique_ptr<Files> files_;
    FsSetup setup_;
    bool memory_entered_ = false;
};

}  // namespace hardrun::cgroup
