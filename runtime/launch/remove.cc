// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/remove.h"

#include <poll.h>
#include <signal.h>

#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/launch/phases.h"

namespace hardrun::launch {
namespace {

constexpr int kEndTimeoutMs = 10'000;
constexpr int kRemoveTimeoutMs = 5000;
constexpr int kQuickRemoveMs = 50;

Status signal_groups(const Container& container, int signal) {
    HARDRUN_TRY(const auto groups, container.groups());
    return groups == nullptr ? Status() : groups->signal_all(signal);
}

Status wait_for_end(FdRef pidfd) {
    const int64_t deadline = monotonic_ms() + kEndTimeoutMs;
    pollfd p{pidfd.get(), POLLIN, 0};
    while (true) {
        const int64_t left = deadline - monotonic_ms();
        if (left <= 0)
            return Error(Errc::kernel,
                         "the container's process did not end within 10 s of SIGKILL");
        if (::poll(&p, 1, static_cast<int>(left)) > 0)
            return {};
    }
}

// All of the container's processes, whatever state it is in. The creator, if it is still at it,
// notices.
Status end_processes(const Container& container) {
    if (container.init().get() >= 0) {
        if (Status sent = state::send_signal(container.init(), SIGKILL);
            !sent && sent.error().kind() != Errc::not_found)
            return sent;
    }
    HARDRUN_CHECK(signal_groups(container, SIGKILL));
    return container.init().get() < 0 ? Status() : wait_for_end(container.init());
}

// Read before the folder goes.
std::vector<config::Hook> poststop_hooks_of(const Container& container) {
    const auto spec = container.hardened(KernelFacts{});
    return spec ? spec->spec().hooks.poststop : std::vector<config::Hook>();
}

Status remove_groups(const Container& container) {
    HARDRUN_TRY(const auto groups, container.groups());
    return groups == nullptr ? Status() : groups->remove(kRemoveTimeoutMs);
}

// A folder whose record cannot be read: nothing more is known of it than its name.
Status remove_unreadable(const state::Store& store, const std::string& id, const Error& why) {
    const auto entry = store.open(id);
    if (!entry)
        return entry.error().kind() == Errc::not_found ? Status() : Status(entry.error());
    if (why.kind() != Errc::not_found)  // else a create was ended before it had made anything
        log::warning("container " + id + ": " + why.what() + "; its folder is removed");
    const auto removed = entry->remove();
    return removed ? Status() : Status(removed.error());
}

}  // namespace

Status kill(const Container& container, int signal, Whom whom) {
    if (whom == Whom::everybody)
        return signal_groups(container, signal);
    HARDRUN_CHECK(state::check(state::Operation::kill, container.state(), container.record().id));
    if (container.init().get() < 0)
        return Error(Errc::bad_state, "container not running");
    // Without a pid namespace the end of init ends nobody else.
    if (signal == SIGKILL && !container.record().own_pid_namespace)
        return signal_groups(container, SIGKILL);
    HARDRUN_CHECK(state::send_signal(container.init(), signal));
    if (signal != SIGKILL || container.state() != state::State::paused)
        return {};
    HARDRUN_TRY(const auto groups, container.groups());  // a frozen process dies when it thaws
    return groups->thaw();
}

Status remove(const state::Store& store, const std::string& id, Force force) {
    auto container = Container::open(store, id);
    if (!container && force == Force::yes)
        return remove_unreadable(store, id, container.error());
    if (!container)
        return std::move(container).error();
    if (force == Force::no)
        HARDRUN_CHECK(state::check(state::Operation::remove, container->state(), id));
    HARDRUN_CHECK(end_processes(*container));
    HARDRUN_CHECK(remove_groups(*container));
    const std::vector<config::Hook> hooks = poststop_hooks_of(*container);
    HARDRUN_TRY(const auto removed, container->entry().remove());
    if (removed == state::Entry::Removed::by_us)
        run_poststop(hooks, container->record());
    return {};
}

Status remove(const state::Store& store, Created& ended) {
    // With the pid namespace all of its processes have ended; whoever is left in the groups is
    // ended the long way.
    const Container& container = ended.container;
    if (!container.record().own_pid_namespace || !ended.groups->remove(kQuickRemoveMs))
        return remove(store, container.record().id, Force::yes);
    HARDRUN_TRY(const auto removed, container.entry().remove());
    if (removed == state::Entry::Removed::by_us)
        run_poststop(ended.spec.spec().hooks.poststop, container.record());
    return {};
}

}  // namespace hardrun::launch
