// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/systemd_driver.h"

#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/cgroup/device_rules.h"

namespace hardrun::cgroup {
namespace {

constexpr int kUndoMs = 1000;

std::vector<UnitProperty> devices(const config::Resources& resources) {
    const Result<std::string> names = read_file(FdRef::cwd(), "/proc/devices");
    return device_properties(with_default_devices(resources.devices),
                             parse_device_groups(names ? *names : ""));
}

void append(std::vector<UnitProperty>& out, const std::vector<UnitProperty>& more) {
    out.insert(out.end(), more.begin(), more.end());
}

}  // namespace

SystemdDriver::SystemdDriver(std::unique_ptr<Bus> bus, std::unique_ptr<FsDriver> groups,
                             UnitName name)
    : bus_(std::move(bus)), groups_(std::move(groups)), name_(std::move(name)) {}

Layout SystemdDriver::layout() const {
    const auto& folders = location().folders;
    return folders.size() == 1 && folders.contains("") ? Layout::v2 : Layout::v1;
}

Status SystemdDriver::prepare(const config::Resources& resources) {
    HARDRUN_TRY(const UnitProperties valid, translate_systemd(resources, layout()));
    return groups_->reserve();
}

Status SystemdDriver::enter(pid_t pid, const config::Resources& resources, Membership membership) {
    HARDRUN_TRY(const UnitProperties limits, translate_systemd(resources, layout()));
    std::vector<UnitProperty> properties = unit_basics(name_, pid, layout());
    append(properties, limits.early);
    append(properties, devices(resources));
    Status entered = bus_->start(name_.unit, properties).context("unit " + name_.unit);
    if (entered)
        entered = enter_groups(pid, resources, membership);
    if (!entered)
        if (const Status removed = remove(kUndoMs); !removed)
            log::warning(removed.error().what());
    return entered;
}

Status SystemdDriver::enter_groups(pid_t pid, const config::Resources& resources,
                                   Membership membership) {
    HARDRUN_CHECK(groups_->complete(resources));
    // systemd has put the process into a v2 scope; into a slice it puts none, and on v1 it leaves
    // the hierarchies alone that it does not use.
    if (layout() == Layout::v2 && !name_.is_slice())
        return {};
    return groups_->enter(pid, resources, membership);
}

Status SystemdDriver::settle(pid_t pid, const config::Resources& resources) {
    HARDRUN_TRY(const UnitProperties limits, translate_systemd(resources, layout()));
    if (!limits.late.empty())
        HARDRUN_CHECK(bus_->set(name_.unit, limits.late).context("unit " + name_.unit));
    return groups_->settle(pid, resources);
}

Status SystemdDriver::update(const config::Resources& resources) {
    HARDRUN_TRY(const config::Resources full, groups_->with_both_of_cpu(resources));
    HARDRUN_TRY(const UnitProperties limits, translate_systemd(full, layout()));
    std::vector<UnitProperty> properties = limits.early;
    append(properties, limits.late);
    if (!resources.devices.empty())
        append(properties, devices(resources));
    if (!properties.empty())
        HARDRUN_CHECK(bus_->set(name_.unit, properties).context("unit " + name_.unit));
    return groups_->update(full);
}

Status SystemdDriver::remove(int timeout_ms) {
    Status stopped = bus_->stop(name_.unit).context("unit " + name_.unit);
    Status removed = groups_->remove(timeout_ms);
    return stopped ? std::move(removed) : std::move(stopped);
}

}  // namespace hardrun::cgroup
