// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/systemd_helper/manager.h"

#include <unistd.h>

#include "runtime/base/clock.h"

namespace hardrun::systemd_helper {
namespace {

constexpr const char* kService = "org.freedesktop.systemd1";
constexpr const char* kPath = "/org/freedesktop/systemd1";
constexpr const char* kInterface = "org.freedesktop.systemd1.Manager";
constexpr int64_t kJobTimeoutMs = 30'000;

Result<BusPtr> connect_private() {
    sd_bus* raw = nullptr;
    HARDRUN_CHECK(checked(sd_bus_new(&raw), "sd_bus_new"));
    BusPtr bus(raw);
    HARDRUN_CHECK(
        checked(sd_bus_set_address(raw, "unix:path=/run/systemd/private"), "systemd's socket"));
    HARDRUN_CHECK(checked(sd_bus_start(raw), "connect to systemd's socket"));
    return bus;
}

Result<BusPtr> connect_system() {
    sd_bus* raw = nullptr;
    HARDRUN_CHECK(checked(sd_bus_open_system(&raw), "connect to the system bus"));
    return BusPtr(raw);
}

// Filled by the JobRemoved signals; the job's path is known only after the call that made it.
struct Removed {
    std::vector<std::pair<std::string, std::string>> jobs;  // path, result
};

int on_job_removed(sd_bus_message* message, void* data, sd_bus_error* error) {
    (void)error;  // nothing here can fail in a way that the sender should know
    uint32_t id = 0;
    const char* path = nullptr;
    const char* unit = nullptr;
    const char* result = nullptr;
    if (sd_bus_message_read(message, "uoss", &id, &path, &unit, &result) >= 0)
        static_cast<Removed*>(data)->jobs.emplace_back(path, result);
    return 0;
}

const std::string* result_of(const Removed& removed, const std::string& job) {
    for (const auto& [path, result] : removed.jobs)
        if (path == job)
            return &result;
    return nullptr;
}

Status wait_for_job(sd_bus* bus, const Removed& removed, const std::string& job) {
    const int64_t deadline = monotonic_ms() + kJobTimeoutMs;
    while (true) {
        if (const std::string* result = result_of(removed, job); result != nullptr) {
            if (*result == "done" || *result == "skipped")
                return {};
            return Error(Errc::kernel, "systemd's job ended with '" + *result +
                                           "'; see `journalctl -u` and `systemctl status` of it");
        }
        const int more = sd_bus_process(bus, nullptr);
        HARDRUN_CHECK(checked(more, "read from systemd"));
        if (more > 0)
            continue;
        const int64_t left = deadline - monotonic_ms();
        if (left <= 0)
            return Error(Errc::kernel, "systemd did not end its job within 30 s");
        HARDRUN_CHECK(
            checked(sd_bus_wait(bus, static_cast<uint64_t>(left) * 1000), "wait for systemd"));
    }
}

}  // namespace

Status checked(int answer, const std::string& what) {
    if (answer < 0)
        return Error::sys(what, -answer);
    return {};
}

Result<Manager> Manager::connect() {
    if (::geteuid() == 0)
        if (Result<BusPtr> direct = connect_private(); direct)
            return Manager(*std::move(direct));
    HARDRUN_TRY(BusPtr bus, connect_system());
    return Manager(std::move(bus));
}

Result<MessagePtr> Manager::method(const std::string& name) {
    sd_bus_message* raw = nullptr;
    HARDRUN_CHECK(checked(
        sd_bus_message_new_method_call(bus_.get(), &raw, kService, kPath, kInterface, name.c_str()),
        name));
    return MessagePtr(raw);
}

Result<MessagePtr> Manager::call(sd_bus_message* message, const std::string& method) {
    sd_bus_error error{};
    sd_bus_message* raw = nullptr;
    const int answer = sd_bus_call(bus_.get(), message, 0, &error, &raw);
    MessagePtr reply(raw);
    error_name_ = error.name != nullptr ? error.name : "";
    const std::string text = error.message != nullptr ? error.message : "";
    sd_bus_error_free(&error);
    if (answer < 0 && !text.empty())
        return Error(Errc::kernel, method + ": " + text);
    HARDRUN_CHECK(checked(answer, method));
    return reply;
}

Status Manager::run_job(sd_bus_message* message, const std::string& method) {
    Removed removed;
    sd_bus_slot* raw = nullptr;
    HARDRUN_CHECK(checked(sd_bus_match_signal(bus_.get(), &raw, nullptr, kPath, kInterface,
                                              "JobRemoved", on_job_removed, &removed),
                          "watch JobRemoved"));
    const SlotPtr slot(raw);
    // On the system bus systemd sends its signals only when somebody has asked for them.
    HARDRUN_TRY(const MessagePtr subscribe, this->method("Subscribe"));
    (void)call(subscribe.get(), "Subscribe");  // "already subscribed" is as good
    HARDRUN_TRY(const MessagePtr reply, call(message, method));
    const char* job = nullptr;
    HARDRUN_CHECK(checked(sd_bus_message_read(reply.get(), "o", &job), method));
    return wait_for_job(bus_.get(), removed, job);
}

Status Manager::start_once(const std::string& unit, const std::vector<UnitProperty>& properties) {
    HARDRUN_TRY(const MessagePtr message, method("StartTransientUnit"));
    HARDRUN_CHECK(
        checked(sd_bus_message_append(message.get(), "ss", unit.c_str(), "replace"), unit));
    HARDRUN_CHECK(append_properties(message.get(), properties));
    HARDRUN_CHECK(checked(sd_bus_message_append(message.get(), "a(sa(sv))", 0), unit));
    return run_job(message.get(), "StartTransientUnit");
}

Status Manager::start(const std::string& unit, const std::vector<UnitProperty>& properties) {
    Status started = start_once(unit, properties);
    if (started || error_name_ != "org.freedesktop.systemd1.UnitExists")
        return started;
    // A failed unit of this name is remembered until somebody says that it may be forgotten.
    HARDRUN_CHECK(reset(unit));
    return start_once(unit, properties);
}

Status Manager::set(const std::string& unit, const std::vector<UnitProperty>& properties) {
    HARDRUN_TRY(const MessagePtr message, method("SetUnitProperties"));
    // 1: for the life of the unit only, nothing is written below /etc.
    HARDRUN_CHECK(checked(sd_bus_message_append(message.get(), "sb", unit.c_str(), 1), unit));
    HARDRUN_CHECK(append_properties(message.get(), properties));
    HARDRUN_TRY(const MessagePtr reply, call(message.get(), "SetUnitProperties"));
    return {};
}

Status Manager::stop(const std::string& unit) {
    HARDRUN_TRY(const MessagePtr message, method("StopUnit"));
    HARDRUN_CHECK(
        checked(sd_bus_message_append(message.get(), "ss", unit.c_str(), "replace"), unit));
    Status stopped = run_job(message.get(), "StopUnit");
    if (!stopped && error_name_ == "org.freedesktop.systemd1.NoSuchUnit")
        return {};
    HARDRUN_CHECK(std::move(stopped));
    return reset(unit);
}

Status Manager::reset(const std::string& unit) {
    HARDRUN_TRY(const MessagePtr message, method("ResetFailedUnit"));
    HARDRUN_CHECK(checked(sd_bus_message_append(message.get(), "s", unit.c_str()), unit));
    const Result<MessagePtr> reply = call(message.get(), "ResetFailedUnit");
    if (!reply && error_name_ != "org.freedesktop.systemd1.NoSuchUnit")
        return reply.error();
    return {};
}

}  // namespace hardrun::systemd_helper
