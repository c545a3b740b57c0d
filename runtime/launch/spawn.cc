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
#include "runtime/launch/sealed_init.h"

namespace hardrun::launch {
namespace {

using init::Message;
using init::Step;
using init::Word;

// All that the child needs between clone and exec, made before: there it may only make system
// calls.
struct Child {
    int program = -1;
    int sync = -1;
    bool new_user = false;
    const std::array<int, 3>* stdio = nullptr;
    const int* kept = nullptr;
    size_t kept_count = 0;
    const char* argv[3] = {};
};

[[noreturn]] void give_up(const Child& child, int err) {
    const Message failed{.word = Word::failed, .step = Step::start, .err = err};
    (void)::send(child.sync, &failed, sizeof failed, MSG_NOSIGNAL);  // nobody else to tell
    ::_exit(125);
}

// An exec in a user namespace keeps its capabilities only for a mapped uid 0, and the map may have
// none: the ambient set carries them over. Init clears it with the identity.
int keep_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (::syscall(SYS_capget, &header, data) != 0)
        return errno;
    for (auto& half : data)
        half.inheritable = half.permitted;
    if (::syscall(SYS_capset, &header, data) != 0)
        return errno;
    for (unsigned cap = 0; cap < 64; ++cap)
        if ((data[cap / 32].permitted >> (cap % 32) & 1) != 0 &&
            ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) != 0)
            return errno;
    return 0;
}

void await_maps(const Child& child) {
    Message message;
    if (::recv(child.sync, &message, sizeof message, 0) != sizeof message ||
        message.word != Word::go)
        ::_exit(125);
    if (const int err = keep_capabilities(); err != 0)
        give_up(child, err);
    // What init makes belongs to the namespace's root; an id that is not mapped could own nothing.
    // A map without root leaves it as it is.
    (void)::syscall(SYS_setgroups, 0, nullptr);
    if ((::syscall(SYS_setresgid, 0, 0, 0) != 0 || ::syscall(SYS_setresuid, 0, 0, 0) != 0) &&
        errno != EINVAL)
        give_up(child, errno);
}

[[noreturn]] void become_init(const Child& child) {
    if (child.new_user)
        await_maps(child);
    if (child.stdio != nullptr)
        for (int i = 0; i < 3; ++i)
            if (::dup2((*child.stdio)[static_cast<size_t>(i)], i) < 0)
                give_up(child, errno);
    for (size_t i = 0; i < child.kept_count; ++i)
        if (::fcntl(child.kept[i], F_SETFD, 0) != 0)
            give_up(child, errno);
    const char* const envp[] = {nullptr};
    ::syscall(SYS_execveat, child.program, "", child.argv, envp, AT_EMPTY_PATH);
    give_up(child, errno);
}

// fork(2) with the flags of clone3(2): the child runs on a copy of this stack.
pid_t clone_child(uint64_t flags, int cgroup_fd, int& pidfd) {
    clone_args args{};
    args.flags = flags | CLONE_PIDFD | (cgroup_fd >= 0 ? CLONE_INTO_CGROUP : 0);
    args.exit_signal = SIGCHLD;
    args.pidfd = reinterpret_cast<uint64_t>(&pidfd);
    args.cgroup = cgroup_fd >= 0 ? static_cast<uint64_t>(cgroup_fd) : 0;
    return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}

}  // namespace

Result<Spawned> spawn(Arena& arena, const SpawnRequest& request) {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
        return Error::sys("socketpair");
    Spawned out{.pid = -1, .pidfd = Fd(), .sync = Fd(pair[0])};
    const Fd theirs(pair[1]);
    arena.plan().sync_fd = theirs.get();
    HARDRUN_CHECK(arena.finish());
    HARDRUN_TRY(const Fd program, make_sealed_init());

    std::vector<int> kept = request.kept;
    kept.push_back(theirs.get());
    kept.push_back(arena.fd().get());
    std::array<char, 16> plan_fd{};
    (void)std::snprintf(plan_fd.data(), plan_fd.size(), "%d", arena.fd().get());
    const Child child{.program = program.get(),
                      .sync = theirs.get(),
                      .new_user = (request.clone_flags & CLONE_NEWUSER) != 0,
                      .stdio = request.stdio ? &*request.stdio : nullptr,
                      .kept = kept.data(),
                      .kept_count = kept.size(),
                      .argv = {"hardrun-init", plan_fd.data(), nullptr}};
    int pidfd = -1;
    out.pid = clone_child(request.clone_flags, request.cgroup_fd, pidfd);
    if (out.pid == 0)
        become_init(child);
    if (out.pid < 0)
        return Error::sys("clone3");
    out.pidfd = Fd(pidfd);
    return out;
}

}  // namespace hardrun::launch
