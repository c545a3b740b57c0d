// SPDX-License-Identifier: Apache-2.0
// The driver for --systemd-cgroup: systemd makes the scope and knows its limits; what it does not
// know, and everything after the start, is done in the scope's groups by the file system driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cgroup/bus.h"
#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/fs_driver.h"
#include "runtime/cgroup/translate_systemd.h"

namespace hardrun::cgroup {

class SystemdDriver final : public Driver {
  public:
    SystemdDriver(std::unique_ptr<Bus> bus, std::unique_ptr<FsDriver> groups, UnitName name);

    Status prepare(const config::Resources& resources) override;
    Result<Fd> clone_target() override { return Fd(); }
    Status enter(pid_t pid, const config::Resources& resources, Membership membership) override;
    Status settle(pid_t pid, const config::Resources& resources) override;
    Status join(pid_t pid, const std::string& sub) override { return groups_->join(pid, sub); }
    Status update(const config::Resources& resources) override;
    Status freeze() override { return groups_->freeze(); }
    Status thaw() override { return groups_->thaw(); }
    Result<FreezerState> freezer_state() override { return groups_->freezer_state(); }
    Result<std::vector<pid_t>> pids() override { return groups_->pids(); }
    Status signal_all(int signal) override { return groups_->signal_all(signal); }
    Result<std::string> stats_json() override { return groups_->stats_json(); }
    Status remove(int timeout_ms) override;
    const Location& location() const override { return groups_->location(); }

  private:
    Layout layout() const;
    Status enter_groups(pid_t pid, const config::Resources& resources, Membership membership);

    std::unique_ptr<Bus> bus_;
    std::unique_ptr<FsDriver> groups_;
    UnitName name_;
};

}  // namespace hardrun::cgroup
