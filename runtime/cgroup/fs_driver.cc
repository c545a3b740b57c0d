// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/fs_driver.h"

#include <algorithm>

#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/base/undo.h"
#include "runtime/cgroup/device_filter.h"
#include "runtime/cgroup/device_rules.h"
#include "runtime/cgroup/freeze.h"
#include "runtime/cgroup/groups.h"
#include "runtime/cgroup/kill.h"
#include "runtime/cgroup/stats.h"
#include "runtime/cgroup/translate_v1.h"
#include "runtime/cgroup/translate_v2.h"

namespace hardrun::cgroup {
namespace {

void report_undo(const std::string& what, const Error& error) {
    log::warning(what + ": " + error.what());
}

bool may_be_absent(const Error& error) {
    const int err = error.sys_errno();
    return err == EACCES || err == EPERM || err == EROFS || err == ENOENT;
}

bool holds(Files& files, const std::string& folder, pid_t pid) {
    const Result<std::string> procs = files.read(folder, "cgroup.procs");
    if (!procs)
        return false;
    const auto lines = split(*procs, '\n');
    return std::ranges::find(lines, std::to_string(pid)) != lines.end();
}

Error no_freezer() {
    return Error(Errc::unsupported,
                 "the container has no freezer cgroup: this host mounts none (v1), or it could not "
                 "be made");
}

}  // namespace

FsDriver::FsDriver(std::unique_ptr<Files> files, FsSetup setup)
    : files_(std::move(files)), setup_(std::move(setup)) {}

bool FsDriver::unified() const {
    return setup_.location.folders.size() == 1 && setup_.location.folders.contains("");
}

std::set<std::string> FsDriver::folder_set() const {
    std::set<std::string> folders;
    for (const auto& [controller, folder] : setup_.location.folders)
        folders.insert(folder);
    return folders;
}

Status FsDriver::make_all(UndoStack& undo, Former former) {
    std::set<std::string> done;
    std::vector<std::string> left_out;
    const bool v2_only = unified();
    for (const auto& [controller, folder] : setup_.location.folders) {
        if (!done.insert(folder).second)
            continue;
        const Result<Files::Made> made = make_group(*files_, folder, undo);
        // v2 beside v1 is only for those who look there; no limit depends on it.
        const bool optional =
            setup_.absence == Absence::is_left_out || (controller.empty() && !v2_only);
        if (!made && optional && may_be_absent(made.error()))
            left_out.push_back(folder);
        else if (!made)
            return made.error();
        else if (*made == Files::Made::before && former == Former::must_be_unused)
            HARDRUN_CHECK(check_unused(*files_, folder));
        if (made && controller == "cpuset")
            HARDRUN_CHECK(inherit_cpuset(*files_, folder));
    }
    for (const std::string& folder : left_out)
        std::erase_if(setup_.location.folders,
                      [&](const auto& entry) { return entry.second == folder; });
    return {};
}

Status FsDriver::make_limited(const config::Resources& resources, Former former) {
    HARDRUN_TRY(const Translation writes, translate(resources));
    UndoStack undo(report_undo);
    HARDRUN_CHECK(make_all(undo, former));
    if (unified())
        enable_controllers(*files_, setup_.v2_mount, setup_.location.folders.at(""));
    HARDRUN_CHECK(apply(*files_, setup_.location.folders, writes.early));
    undo.commit();
    return {};
}

Status FsDriver::prepare(const config::Resources& resources) {
    return make_limited(resources, Former::must_be_unused);
}

Status FsDriver::complete(const config::Resources& resources) {
    return make_limited(resources, Former::is_ours);
}

Status FsDriver::reserve() {
    UndoStack undo(report_undo);
    HARDRUN_CHECK(make_all(undo, Former::must_be_unused));
    undo.commit();
    return {};
}

Result<Fd> FsDriver::clone_target() {
    if (!unified())
        return Fd();
    return files_->open_dir(setup_.location.folders.at(""));
}

Status FsDriver::enter_folder(pid_t pid, const std::string& folder) {
    return files_->write(folder, "cgroup.procs", std::to_string(pid)).context("enter " + folder);
}

Status FsDriver::enter(pid_t pid, const config::Resources& resources, Membership membership) {
    (void)resources;  // systemd's driver needs them here
    const auto& folders = setup_.location.folders;
    // Cloned into the group already: moving a process costs a pause of all of the host's forks.
    if (unified() && holds(*files_, folders.at(""), pid))
        return {};
    const auto memory = folders.find("memory");
    for (const std::string& folder : folder_set()) {
        const bool is_memory = memory != folders.end() && memory->second == folder;
        if (is_memory && membership == Membership::but_memory)
            continue;
        HARDRUN_CHECK(enter_folder(pid, folder));
    }
    memory_entered_ = membership == Membership::all;
    return {};
}

Status FsDriver::settle(pid_t pid, const config::Resources& resources) {
    const auto& folders = setup_.location.folders;
    HARDRUN_TRY(const Translation writes, translate(resources));
    HARDRUN_CHECK(apply(*files_, folders, writes.late));
    if (const auto memory = folders.find("memory"); memory != folders.end() && !memory_entered_)
        HARDRUN_CHECK(enter_folder(pid, memory->second));
    return apply_devices(resources, DeviceState::fresh);
}

Status FsDriver::update(const config::Resources& resources) {
    HARDRUN_TRY(const Translation writes, translate_update(resources));
    HARDRUN_CHECK(apply(*files_, setup_.location.folders, writes.early));
    HARDRUN_CHECK(apply(*files_, setup_.location.folders, writes.late));
    if (resources.devices.empty())
        return {};
    return apply_devices(resources, DeviceState::in_use);
}

Result<Translation> FsDriver::translate(const config::Resources& resources) const {
    return unified() ? translate_v2(resources) : translate_v1(resources);
}

// What depends on the present values; they are read only where a given limit needs them.
Result<Translation> FsDriver::translate_update(const config::Resources& resources) const {
    const auto& folders = setup_.location.folders;
    if (!unified()) {
        V1Now now;
        const auto memory = folders.find("memory");
        if (resources.memory && memory != folders.end()) {
            HARDRUN_TRY(const std::string limit,
                        files_->read(memory->second, "memory.limit_in_bytes"));
            now.memory_limit = parse_decimal(trim(limit)).value_or(UINT64_MAX);
        }
        return translate_v1(resources, now);
    }
    V2Now now;
    if (resources.cpu && resources.cpu->period) {
        HARDRUN_TRY(now.cpu_max, files_->read(folders.at(""), "cpu.max"));
    }
    if (resources.memory && resources.memory->swap) {
        HARDRUN_TRY(now.memory_max, files_->read(folders.at(""), "memory.max"));
    }
    return translate_v2(resources, now);
}

Status FsDriver::apply_devices(const config::Resources& resources, DeviceState state) {
    const auto& folders = setup_.location.folders;
    const std::vector<config::DeviceRule> rules = with_default_devices(resources.devices);
    Status done;
    if (const auto v1 = folders.find("devices"); v1 != folders.end()) {
        std::string have;
        if (state == DeviceState::in_use) {
            HARDRUN_TRY(have, files_->read(v1->second, "devices.list"));
        }
        HARDRUN_TRY(const std::vector<Write> writes, device_writes_v1(rules, have));
        done = apply(*files_, folders, writes);
    } else if (const auto v2 = folders.find(""); v2 != folders.end()) {
        HARDRUN_TRY(const Fd group, files_->open_dir(v2->second));
        done = replace_device_filter(group, device_program(rules));
    } else {
        done = Error(Errc::unsupported,
                     "linux.resources.devices: there is no devices cgroup to set the rules in");
    }
    // Without privileges there is nobody to keep from devices: the kernel does it by itself.
    if (!done && setup_.absence == Absence::is_left_out)
        return {};
    return std::move(done).context("device rules");
}

Status FsDriver::freeze() {
    const auto freezer = freezer_of(setup_.location);
    return freezer ? freeze_group(*files_, *freezer) : Status(no_freezer());
}

Status FsDriver::thaw() {
    const auto freezer = freezer_of(setup_.location);
    return freezer ? thaw_group(*files_, *freezer) : Status(no_freezer());
}

Result<FreezerState> FsDriver::freezer_state() {
    const auto freezer = freezer_of(setup_.location);
    if (!freezer)
        return FreezerState::thawed;
    return state_of(*files_, *freezer);
}

Result<std::vector<pid_t>> FsDriver::pids() {
    const std::string* folder = process_folder(setup_.location.folders);
    if (folder == nullptr)
        return Error(Errc::unsupported, "the container has no cgroup to find its processes by");
    return all_pids(*files_, *folder);
}

Status FsDriver::signal_all(int signal) {
    return signal_group(*files_, setup_.location, signal);
}

Result<std::string> FsDriver::stats_json() {
    return unified() ? stats_v2(*files_, setup_.location.folders.at(""))
                     : stats_v1(*files_, setup_.location.folders);
}

Status FsDriver::remove(int timeout_ms) {
    const std::set<std::string> folders = folder_set();
    return remove_groups(*files_, {folders.begin(), folders.end()}, timeout_ms);
}

}  // namespace hardrun::cgroup
