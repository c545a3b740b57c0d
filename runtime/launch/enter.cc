// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/enter.h"

#include <linux/sched.h>
#include <sys/wait.h>

#include <fcntl.h>
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

// The kinds of which the process and we are in different ones.
Result<uint64_t> foreign_kinds(pid_t pid) {
    uint64_t out = 0;
    for (const uint64_t kind : kKinds) {
        HARDRUN_TRY(const state::NamespaceId theirs, namespace_of(std::to_string(pid), kind));
        HARDRUN_TRY(const state::NamespaceId ours, namespace_of("self", kind));
        if (theirs != ours)
            out |= kind;
    }
    return out;
}

Result<std::vector<OpenedJoin>> join_by_pidfd(FdRef pidfd, pid_t pid, uint64_t kinds) {
    // The pid was this process's all the time, or these were somebody else's namespaces.
    if (!state::send_signal(pidfd, 0))
        return Error(Errc::bad_state, "cannot exec in a stopped container");
    std::vector<OpenedJoin> out;
    if (kinds == 0)
        return out;
    Fd copy(::fcntl(pidfd.get(), F_DUPFD_CLOEXEC, 3));
    if (!copy.valid())
        return Error::sys("dup of a pidfd");
    out.push_back({kinds, std::move(copy), "namespaces of process " + std::to_string(pid)});
    return out;
}

void lay_out_entrance(Arena& arena, const Entrance& e, Layout& layout) {
    init::InitPlan& out = arena.plan();
    out.mode = e.mode;
    out.preserve_fds = e.preserve_fds;
    lay_out_joins(arena, e.joins, layout);
    lay_out_process(arena, e.process, e.filter, layout);
    for (const OpenedJoin& join : e.joins)
        out.fork_late = out.fork_late || (join.type & (CLONE_NEWPID | CLONE_NEWTIME)) != 0;
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
    HARDRUN_TRY(child.pidfd, open_child(pid));
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

Result<std::vector<OpenedJoin>> open_joins_of(const Container& container) {
    const state::Record& record = container.record();
    HARDRUN_TRY(uint64_t kinds, foreign_kinds(record.init.pid));
    if (record.cell_fd < 0 || !container.entry().gate_closed())
        return join_by_pidfd(container.init(), record.init.pid, kinds);
    kinds &= ~uint64_t{CLONE_NEWNET};
    HARDRUN_TRY(auto out, join_by_pidfd(container.init(), record.init.pid, kinds));
    HARDRUN_TRY(Fd cell, open_cell(container.entry(), record));
    if (!cell.valid())
        return Error(Errc::bad_state, "the container's network cell cannot be found");
    out.push_back({CLONE_NEWNET, std::move(cell), "network cell"});
    return out;
}

Result<std::vector<OpenedJoin>> open_joins_of_pid(FdRef pidfd, pid_t pid) {
    HARDRUN_TRY(const uint64_t kinds, foreign_kinds(pid));
    return join_by_pidfd(pidfd, pid, kinds);
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
