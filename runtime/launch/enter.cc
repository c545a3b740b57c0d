// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/enter.h"

#include <linux/sched.h>
#include <sys/wait.h>

#include <signal.h>

#include "runtime/base/undo.h"
#include "runtime/launch/namespace_files.h"
#include "runtime/launch/network.h"
#include "runtime/launch/process_setup.h"
#include "runtime/launch/spawn.h"

namespace hardrun::launch {
namespace {

constexpr uint64_t kKinds[] = {CLONE_NEWUSER, CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWUTS,
                               CLONE_NEWNET,  CLONE_NEWTIME,   CLONE_NEWPID, CLONE_NEWNS};

Result<Fd> open_kind(pid_t pid, uint64_t kind) {
    return open_namespace("/proc/" + std::to_string(pid) + "/ns/" + namespace_file(kind), kind);
}

Status add_join(std::vector<OpenedJoin>& joins, uint64_t kind, Fd fd) {
    HARDRUN_TRY(const state::NamespaceId theirs, namespace_id(fd));
    HARDRUN_TRY(const state::NamespaceId ours, own_namespace(kind));
    if (theirs != ours)
        joins.push_back({kind, std::move(fd), std::string(namespace_file(kind)) + " namespace"});
    return {};
}

Result<Fd> open_network_of(const state::Entry& entry, const state::Record& record) {
    if (record.cell_fd < 0 || !entry.gate_closed())
        return open_kind(record.init.pid, CLONE_NEWNET);
    HARDRUN_TRY(Fd cell, open_cell(entry, record));
    if (!cell.valid())
        return Error(Errc::bad_state, "the container's network cell cannot be found");
    return cell;
}

void lay_out_entrance(Arena& arena, const Entrance& e, Layout& layout) {
    init::InitPlan& out = arena.plan();
    out.mode = e.mode;
    out.preserve_fds = e.preserve_fds;
    lay_out_joins(arena, e.joins, layout);
    lay_out_process(arena, e.process, e.filter, layout);
    for (const OpenedJoin& join : e.joins)
        out.fork_late = out.fork_late || join.type == CLONE_NEWPID || join.type == CLONE_NEWTIME;
    out.expected_root = {e.record.root.mount_id, e.record.root.inode, e.record.root.dev_major,
                         e.record.root.dev_minor};
    out.new_keyring = !e.keyring_name.empty();
    out.keyring_name = arena.text(e.keyring_name);
}

// After its fork the conversation goes on with another process.
Status switch_to(Spawned& child, pid_t pid) {
    const pid_t before = std::exchange(child.pid, pid);
    while (::waitpid(before, nullptr, 0) < 0 && errno == EINTR) {
    }
    HARDRUN_TRY(const state::PidIdentity now, state::identify(child.pid));
    HARDRUN_TRY(child.pidfd, state::open_process(now));
    return say_go(child.sync);
}

Status answer(Spawned& child, Heard heard, Entered& out) {
    switch (heard.message.word) {
        case init::Word::forked:
            return switch_to(child, heard.message.pid);
        case init::Word::console:
            out.console = std::move(heard.fd);
            return {};
        case init::Word::ready:
            return {};
        case init::Word::failed:
            return describe(heard.message, out.names);
        default:
            return Error(Errc::internal, "an unexpected word from init");
    }
}

// Follows the conversation until init is ready; the pid may change once on the way.
Status follow(Spawned& child, Entered& out) {
    bool ready = false;
    while (!ready) {
        HARDRUN_TRY(Heard heard, hear(child.sync));
        if (heard.closed)
            return died(child.pid);
        ready = heard.message.word == init::Word::ready;
        HARDRUN_CHECK(answer(child, std::move(heard), out));
    }
    return {};
}

}  // namespace

Result<std::vector<OpenedJoin>> open_joins_of(const state::Entry& entry,
                                              const state::Record& record) {
    std::vector<OpenedJoin> out;
    for (const uint64_t kind : kKinds) {
        auto fd = kind == CLONE_NEWNET ? open_network_of(entry, record)
                                       : open_kind(record.init.pid, kind);
        if (!fd)
            return std::move(fd).error();
        HARDRUN_CHECK(add_join(out, kind, *std::move(fd)));
    }
    // The pid was the container's all the time, or these are somebody else's namespaces.
    HARDRUN_TRY(const Fd alive, state::open_process(record.init));
    if (!alive.valid())
        return Error(Errc::bad_state, "cannot exec in a stopped container");
    return out;
}

Result<std::vector<OpenedJoin>> open_joins_of_pid(pid_t pid) {
    std::vector<OpenedJoin> out;
    for (const uint64_t kind : kKinds) {
        HARDRUN_TRY(Fd fd, open_kind(pid, kind));
        HARDRUN_CHECK(add_join(out, kind, std::move(fd)));
    }
    return out;
}

Result<Entered> enter(const Entrance& entrance, Placement* placement) {
    Entered out;
    Layout layout;
    HARDRUN_TRY(Arena arena, Arena::make());
    lay_out_entrance(arena, entrance, layout);
    out.names = layout.names;
    HARDRUN_TRY(
        Spawned child,
        spawn(arena,
              {.clone_flags = 0, .cgroup_fd = -1, .kept = layout.kept, .stdio = entrance.stdio}));
    UndoStack undo(report_undo);
    undo.push("process", [&child] { return end_child(child.pid); });
    if (placement != nullptr)
        HARDRUN_CHECK(placement->place(child.pid));
    HARDRUN_CHECK(set_oom_score_adj(child.pid, entrance.process.oom_score_adj));
    HARDRUN_CHECK(say_go(child.sync));
    HARDRUN_CHECK(follow(child, out));
    undo.commit();
    out.pid = child.pid;
    out.pidfd = std::move(child.pidfd);
    out.sync = std::move(child.sync);
    return out;
}

Status let_go(const Entered& entered) {
    HARDRUN_CHECK(say_go(entered.sync));
    HARDRUN_TRY(const Heard heard, hear(entered.sync));
    if (heard.closed)
        return {};
    (void)end_child(entered.pid);  // it is ending by itself
    return describe(heard.message, entered.names);
}

}  // namespace hardrun::launch
