// SPDX-License-Identifier: Apache-2.0
// From a fresh process to one that stands in all namespaces of the container.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/sockios.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr int kSigKill = 9;
constexpr int kSigChild = 17;
constexpr int kSigStop = 19;
constexpr int kLastSignal = 64;
constexpr int kAfInet = 2;
constexpr int kSockDgram = 2;
constexpr int kSockCloexec = 02000000;

// struct ifreq; the kernel's own header for it pulls in the C library's.
struct InterfaceRequest {
    char name[16];
    short flags;
    char unused[22];
};
constexpr short kInterfaceUp = 0x1;
constexpr short kInterfaceRunning = 0x40;

struct KernelSigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    uint64_t mask;
};

// What the caller ignored or blocked is not the program's business.
long reset_signals(Kernel& k) noexcept {
    const KernelSigaction by_default{};
    for (int signal = 1; signal <= kLastSignal; ++signal) {
        if (signal == kSigKill || signal == kSigStop)
            continue;
        if (const long r = k(__NR_rt_sigaction, signal, &by_default, nullptr, sizeof(uint64_t));
            r < 0)
            return r;
    }
    const uint64_t none = 0;
    return k(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, &none, nullptr, sizeof none);
}

// Dies with its parent until the parent says that it stays.
long die_with_parent(Kernel& k) noexcept {
    return k(__NR_prctl, PR_SET_PDEATHSIG, kSigKill, 0, 0, 0);
}

// The child goes on as init; the process that forked tells the parent who that is, and ends. The
// child has hardrun for its parent (CLONE_PARENT), so that it is waited for like any other.
long fork_into(Run& run, uint64_t flags) noexcept {
    const long pid =
        run.k(__NR_clone, flags | CLONE_PARENT | kSigChild, nullptr, nullptr, nullptr, nullptr);
    if (pid < 0)
        return pid;
    if (pid == 0) {
        if (const long r = die_with_parent(run.k); r < 0)
            return r;
        return await_go(run);  // until `forked` was heard: two writers have no order
    }
    const Message forked{.word = Word::forked, .pid = static_cast<int32_t>(pid)};
    const long sent = send_message(run, forked, -1);
    run.k(__NR_exit_group, sent < 0 ? 1 : 0);
    return -ECHILD;  // not reached
}

long raise_loopback(Kernel& k) noexcept {
    const long fd = k(__NR_socket, kAfInet, kSockDgram | kSockCloexec, 0);
    if (fd < 0)
        return fd == -EAFNOSUPPORT ? 0 : fd;
    InterfaceRequest request{};
    copy_text(request.name, sizeof request.name, "lo");
    request.flags = kInterfaceUp | kInterfaceRunning;
    const long result = k(__NR_ioctl, fd, SIOCSIFFLAGS, &request);
    (void)k(__NR_close, fd);
    return result;
}

}  // namespace

long start(Run& run) noexcept {
    // Before anything of the container can see this process (CVE-2016-9962).
    if (const long r = run.k(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0); r < 0)
        return r;
    if (const long r = die_with_parent(run.k); r < 0)
        return r;
    // Nothing but the standard descriptors and those asked for survives the last exec.
    const unsigned first = 3 + run.plan.preserve_fds;
    if (const long r = run.k(__NR_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC); r < 0)
        return r;
    (void)run.k(__NR_umask, 0);  // cannot fail
    return reset_signals(run.k);
}

long join_namespaces(Run& run) noexcept {
    for (const Join& join : run.plan.joins) {
        if (const long r = run.k(__NR_setns, join.fd, join.type); r < 0)
            return r;
        // Root of the joined user namespace, whatever the caller was outside of it.
        if ((join.type & CLONE_NEWUSER) != 0) {
            (void)run.k(__NR_setgroups, 0,
                        nullptr);  // denied in some namespaces, then there is nothing to drop
            if (const long r = run.k(__NR_setresgid, 0, 0, 0); r < 0)
                return r;
            if (const long r = run.k(__NR_setresuid, 0, 0, 0); r < 0)
                return r;
            if (const long r = run.k(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0); r < 0)
                return r;
        }
        ++run.index;
    }
    return 0;
}

long new_namespaces(Run& run) noexcept {
    return run.plan.unshare_flags == 0 ? 0 : run.k(__NR_unshare, run.plan.unshare_flags);
}

long fork_early(Run& run) noexcept {
    return run.plan.fork_early ? fork_into(run, run.plan.fork_flags) : 0;
}

long fork_late(Run& run) noexcept {
    return run.plan.fork_late ? fork_into(run, 0) : 0;
}

long cgroup_namespace(Run& run) noexcept {
    return run.plan.new_cgroup_ns ? run.k(__NR_unshare, CLONE_NEWCGROUP) : 0;
}

// The cell is made beside the uplink that the engine plumbs; what belongs to it (lo, sysctls, the
// sysfs view) is done while standing in it.
long network(Run& run) noexcept {
    int uplink = -1;
    if (run.plan.cell) {
        const long fd =
            run.k(__NR_openat, run.proc_fd, "thread-self/ns/net", O_RDONLY | O_CLOEXEC, 0);
        if (fd < 0)
            return fd;
        uplink = static_cast<int>(fd);
        if (run.plan.raise_loopback)
            if (const long r = raise_loopback(run.k); r < 0)
                return r;
        if (const long r = run.k(__NR_unshare, CLONE_NEWNET); r < 0)
            return r;
    }
    if (run.plan.raise_loopback || run.plan.cell)
        if (const long r = raise_loopback(run.k); r < 0)
            return r;
    if (!run.plan.cell)
        return 0;
    const long cell =
        run.k(__NR_openat, run.proc_fd, "thread-self/ns/net", O_RDONLY | O_CLOEXEC, 0);
    if (cell < 0)
        return cell;
    run.cell_fd = static_cast<int>(cell);
    if (const long r = run.k(__NR_setns, uplink, CLONE_NEWNET); r < 0)
        return r;
    return run.k(__NR_close, uplink);
}

// After start: from the uplink into the cell, where the workload lives.
long enter_cell(Run& run) noexcept {
    return run.cell_fd < 0 || run.plan.stay_in_uplink
               ? 0
               : run.k(__NR_setns, run.cell_fd, CLONE_NEWNET);
}

}  // namespace hardrun::init
