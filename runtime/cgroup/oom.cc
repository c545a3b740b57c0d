// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/oom.h"

#include <sys/eventfd.h>
#include <sys/inotify.h>

#include <unistd.h>

#include <array>

#include "runtime/base/file.h"
#include "runtime/cgroup/usage.h"

namespace hardrun::cgroup {
namespace {

class OomWatchV1 final : public OomWatch {
  public:
    OomWatchV1(Fd group, Fd event) : group_(std::move(group)), event_(std::move(event)) {}

    FdRef fd() const override { return event_; }

    Result<OomNews> take() override {
        uint64_t count = 0;
        if (::read(event_.get(), &count, sizeof count) != sizeof count) {
            if (errno == EAGAIN)
                return OomNews::none;
            return Error::sys("read the out-of-memory event");
        }
        // The kernel signals the removal of the group in the same way.
        if (::faccessat(group_.get(), "cgroup.event_control", F_OK, 0) != 0)
            return OomNews::gone;
        return OomNews::oom;
    }

  private:
    Fd group_;
    Fd event_;
};

class OomWatchV2 final : public OomWatch {
  public:
    OomWatchV2(Fd group, Fd notify, uint64_t kills)
        : group_(std::move(group)), notify_(std::move(notify)), kills_(kills) {}

    FdRef fd() const override { return notify_; }

    Result<OomNews> take() override {
        alignas(inotify_event) std::array<char, 4096> events;
        while (::read(notify_.get(), events.data(), events.size()) > 0) {
        }
        if (errno != EAGAIN)
            return Error::sys("read the out-of-memory events");
        const Result<std::string> memory = read_file(group_, "memory.events");
        const uint64_t kills = memory ? value_of(parse_numbers(*memory), "oom_kill") : kills_;
        if (kills > kills_) {
            kills_ = kills;
            return OomNews::oom;
        }
        const Result<std::string> group = read_file(group_, "cgroup.events");
        if (!group || value_of(parse_numbers(*group), "populated") == 0)
            return OomNews::gone;
        return OomNews::none;
    }

  private:
    Fd group_;
    Fd notify_;
    uint64_t kills_;  // how many had been reported
};

Result<std::unique_ptr<OomWatch>> watch_v1(const std::string& folder) {
    HARDRUN_TRY(Fd group, open_at(FdRef::cwd(), folder, O_RDONLY | O_DIRECTORY));
    HARDRUN_TRY(const Fd control, open_at(group, "memory.oom_control", O_RDONLY));
    Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event.valid())
        return Error::sys("eventfd");
    HARDRUN_CHECK(
        write_existing(group, "cgroup.event_control",
                       std::to_string(event.get()) + " " + std::to_string(control.get())));
    return std::unique_ptr<OomWatch>(
        std::make_unique<OomWatchV1>(std::move(group), std::move(event)));
}

Result<std::unique_ptr<OomWatch>> watch_v2(const std::string& folder) {
    HARDRUN_TRY(Fd group, open_at(FdRef::cwd(), folder, O_RDONLY | O_DIRECTORY));
    Fd notify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!notify.valid())
        return Error::sys("inotify_init1");
    for (const char* file : {"/memory.events", "/cgroup.events"})
        if (::inotify_add_watch(notify.get(), (folder + file).c_str(), IN_MODIFY) < 0)
            return Error::sys("watch " + folder + file);
    HARDRUN_TRY(const std::string events, read_file(group, "memory.events"));
    return std::unique_ptr<OomWatch>(std::make_unique<OomWatchV2>(
        std::move(group), std::move(notify), value_of(parse_numbers(events), "oom_kill")));
}

}  // namespace

Result<std::unique_ptr<OomWatch>> watch_oom(const Location& location) {
    const auto& folders = location.folders;
    if (const auto v1 = folders.find("memory"); v1 != folders.end())
        return watch_v1(v1->second);
    if (const auto v2 = folders.find(""); v2 != folders.end() && folders.size() == 1)
        return watch_v2(v2->second);
    return Error(Errc::unsupported, "the container has no memory cgroup to watch");
}

}  // namespace hardrun::cgroup
