// SPDX-License-Identifier: Apache-2.0
// systemd's manager over D-Bus, with sd-bus: the four calls that a container needs.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/cgroup/unit_property.h"

namespace hardrun::systemd_helper {

using cgroup::UnitProperty;

struct Unref {
    void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
using BusPtr = std::unique_ptr<sd_bus, Unref>;
using MessagePtr = std::unique_ptr<sd_bus_message, Unref>;
using SlotPtr = std::unique_ptr<sd_bus_slot, Unref>;

// sd-bus answers with a negative errno.
Status checked(int answer, const std::string& what);

class Manager {
  public:
    // systemd's own socket, which needs no D-Bus daemon; else the system bus.
    static Result<Manager> connect();

    Status start(const std::string& unit, const std::vector<UnitProperty>& properties);
    Status set(const std::string& unit, const std::vector<UnitProperty>& properties);
    Status stop(const std::string& unit);
    Status reset(const std::string& unit);

  private:
    explicit Manager(BusPtr bus) : bus_(std::move(bus)) {}
    Result<MessagePtr> call(sd_bus_message* message, const std::string& method);
    Result<MessagePtr> method(const std::string& name);
    Status run_job(sd_bus_message* message, const std::string& method);
    Status start_once(const std::string& unit, const std::vector<UnitProperty>& properties);

    BusPtr bus_;
    std::string error_name_;  // of the last failed call, "org.freedesktop.systemd1.NoSuchUnit"
};

// Appends the properties as a(sv).
Status append_properties(sd_bus_message* message, const std::vector<UnitProperty>& properties);

}  // namespace hardrun::systemd_helper
