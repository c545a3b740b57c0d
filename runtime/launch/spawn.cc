// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/spawn.h"

#include <linux/capability.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "runtime/init/report.h"
#include "runtime/init/syscall.h"
#include "runtime/launch/clone.h"
#include "runtime/launch/sealed_init.h"

namespace hardrun::launch {
namespace {

using init::Message;
using init::Step;
using init::Word;

[[noreturn]] void leave(init::Kernel& k) {
    while (true)
        (void)k(SYS_exit_group, 125);
}

[[noreturn]] void give_up(init::Kernel& k, const Child& child, long result) {
    const Message failed{
        .word = Word::failed, .step = Step::start, .err = static_cast<int32_t>(-result)};
    (void)k(SYS_sendto, child.sync, &failed, sizeof failed, MSG_NOSIGNAL, nullptr, 0);
    leave(k);  // whether or not there was somebody to tell
}

// An exec in a user namespace keeps its capabilities only for a mapped uid 0, and the map may have
// none: the ambient set carries them over. Init clears it with the identity.
long keep_capabilities(init::Kernel& k) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (const long r = k(SYS_capget, &header, data); r < 0)
        return r;
    for (auto& half : data)
        half.inheritable = half.permitted;
    if (const long r = k(SYS_capset, &header, data); r < 0)
        return r;
    for (unsigned cap = 0; cap < 64; ++cap) {
        if ((data[cap / 32].permitted >> (cap % 32) & 1) == 0)
            continue;
        if (const long r = k(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap); r < 0)
            return r;
    }
    return 0;
}

void await_maps(init::Kernel& k, const Child& child) {
    Message message;
    if (k(SYS_recvfrom, child.sync, &message, sizeof message, 0, nullptr, nullptr) !=
            sizeof message ||
        message.word != Word::go)
        leave(k);
    if (const long r = keep_capabilities(k); r < 0)
        give_up(k, child, r);
    // What init makes belongs to the namespace's root; an id that is not mapped could own nothing.
    // A map without root leaves it as it is.
    (void)k(SYS_setgroups, 0, nullptr);
    for (const long call : {SYS_setresgid, SYS_setresuid})
        if (const long r = k(call, 0, 0, 0); r < 0 && r != -EINVAL)
            give_up(k, child, r);
}

// Runs in our memory, beside us: raw system calls only.
[[noreturn]] void become_init(void* argument) {
    const Child& child = *static_cast<const Child*>(argument);
    init::RealKernel k;
    if (child.new_user)
        await_maps(k, child);
    if (child.stdio)
        for (size_t i = 0; i < child.stdio->size(); ++i) {
            const int from = (*child.stdio)[i];
            const long r = from == static_cast<int>(i) ? k(SYS_fcntl, from, F_SETFD, 0)
                                                       : k(SYS_dup3, from, i, 0);
            if (r < 0)
                give_up(k, child, r);
        }
    for (const int fd : child.kept)
        if (const long r = k(SYS_fcntl, fd, F_SETFD, 0); r < 0)
            give_up(k, child, r);
    const char* const argv[] = {"hardrun-init", child.plan.data(), nullptr};
    const char* const envp[] = {nullptr};
    give_up(k, child, k(SYS_execveat, child.program, "", argv, envp, AT_EMPTY_PATH));
}

Result<pid_t> clone_child(Child& child, const SpawnRequest& request, int& pidfd) {
    clone_args args{};
    args.flags =
        request.clone_flags | CLONE_PIDFD | (request.cgroup_fd >= 0 ? CLONE_INTO_CGROUP : 0);
    args.exit_signal = SIGCHLD;
    args.pidfd = reinterpret_cast<uint64_t>(&pidfd);
    args.cgroup = request.cgroup_fd >= 0 ? static_cast<uint64_t>(request.cgroup_fd) : 0;
    const pid_t pid = clone_onto(args, child.stack.data(), child.stack.size(), become_init, &child);
    if (pid < 0)
        return Error::sys("clone3", -pid);
    return pid;
}

}  // namespace

Result<Spawned> spawn(Arena& arena, const SpawnRequest& request) {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
        return Error::sys("socketpair");
    Spawned out;
    out.sync = Fd(pair[0]);
    const Fd theirs(pair[1]);
    arena.plan().sync_fd = theirs.get();
    HARDRUN_CHECK(arena.finish());
    HARDRUN_TRY(const Fd program, make_sealed_init());

    out.child = std::make_unique_for_overwrite<Child>();
    Child& child = *out.child;
    child.program = program.get();
    child.sync = theirs.get();
    child.new_user = (request.clone_flags & CLONE_NEWUSER) != 0;
    child.stdio = request.stdio;
    child.kept = request.kept;
    child.kept.push_back(theirs.get());
    child.kept.push_back(arena.fd().get());
    (void)std::snprintf(child.plan.data(), child.plan.size(), "%d", arena.fd().get());
    int pidfd = -1;
    HARDRUN_TRY(out.pid, clone_child(child, request, pidfd));
    out.pidfd = Fd(pidfd);
    return out;
}

}  // namespace hardrun::launch
