// SPDX-License-Identifier: Apache-2.0
// The seam to systemd. The real one runs the helper program hardrun-systemd: sd-bus is a shared
// library with plugins of its own, which the runtime, being static, must not carry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/cgroup/unit_property.h"

namespace hardrun::cgroup {

class Bus {
  public:
    Bus() = default;
    Bus(const Bus&) = delete;
    Bus& operator=(const Bus&) = delete;
    virtual ~Bus() = default;

    // Returns when systemd's job for it is done.
    virtual Status start(const std::string& unit, const std::vector<UnitProperty>& properties) = 0;
    virtual Status set(const std::string& unit, const std::vector<UnitProperty>& properties) = 0;
    // Also forgets a failed unit. A unit that does not exist is a success.
    virtual Status stop(const std::string& unit) = 0;
};

std::unique_ptr<Bus> helper_bus();

}  // namespace hardrun::cgroup
