// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <array>

#include "runtime/base/clock.h"
#include "runtime/base/json_writer.h"
#include "runtime/base/log.h"
#include "runtime/cgroup/oom.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/cli/quantities.h"
#include "runtime/launch/container.h"

namespace hardrun::cli {
namespace {

std::string oom_line(const std::string& id) {
    json::Writer w;
    w.begin_object().field("type", "oom").field("id", id).end_object();
    return w.take() + "\n";
}

Result<std::string> stats_line(cgroup::Driver& groups, const std::string& id) {
    HARDRUN_TRY(const std::string data, groups.stats_json());
    json::Writer w;
    w.begin_object().field("type", "stats").field("id", id).key("data").raw(data).end_object();
    return w.take() + "\n";
}

Status print_stats(cgroup::Driver& groups, const std::string& id) {
    HARDRUN_TRY(const std::string line, stats_line(groups, id));
    return print(line);
}

// Without a memory group there is still usage to report.
std::unique_ptr<cgroup::OomWatch> watch(const cgroup::Driver& groups) {
    auto watched = cgroup::watch_oom(groups.location());
    if (watched)
        return *std::move(watched);
    log::warning("no out-of-memory events: " + watched.error().what());
    return nullptr;
}

Status take_news(std::unique_ptr<cgroup::OomWatch>& watched, const std::string& id) {
    HARDRUN_TRY(const cgroup::OomNews news, watched->take());
    if (news == cgroup::OomNews::gone)
        watched.reset();
    return news == cgroup::OomNews::oom ? print(oom_line(id)) : Status();
}

// Until init ends. What the kernel said in its last moment is still told.
Status follow(const launch::Container& container, cgroup::Driver& groups, int64_t interval_ms) {
    const std::string& id = container.record().id;
    auto watched = watch(groups);
    int64_t due = monotonic_ms() + interval_ms;
    while (true) {
        std::array<pollfd, 2> p = {
            pollfd{container.init().get(), POLLIN, 0},
            pollfd{watched != nullptr ? watched->fd().get() : -1, POLLIN, 0}};
        const int64_t left = std::clamp<int64_t>(due - monotonic_ms(), 0, INT32_MAX);
        if (::poll(p.data(), p.size(), static_cast<int>(left)) < 0 && errno != EINTR)
            return Error::sys("poll");
        if (watched != nullptr && p[1].revents != 0)
            HARDRUN_CHECK(take_news(watched, id));
        if (p[0].revents != 0)
            return {};
        if (monotonic_ms() < due)
            continue;
        due += interval_ms;
        const auto line = stats_line(groups, id);
        if (line)
            HARDRUN_CHECK(print(*line));
        else  // it may just be ending: the next round tells
            log::warning(line.error().what());
    }
}

}  // namespace

Result<int> run_events(const Global& global, const Args& args) {
    Options o("events: usage and out-of-memory events, a line of JSON each");
    o.add_flag("stats", "print the usage once and end");
    o.add_text("interval", "time between two lines of usage, like 5s (the default)");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(const std::string id, only_id(o));
    HARDRUN_TRY(const int64_t interval_ms,
                parse_duration_ms(o.text("interval", "5s")).context("--interval"));
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, id));
    HARDRUN_CHECK(state::check(state::Operation::events, container.state(), id));
    HARDRUN_TRY(const auto groups, container.groups());
    if (groups == nullptr)
        return Error(Errc::unsupported, "the container has no cgroup to read the usage of");
    HARDRUN_CHECK(o.flag("stats") ? print_stats(*groups, id)
                                  : follow(container, *groups, interval_ms));
    return 0;
}

}  // namespace hardrun::cli
