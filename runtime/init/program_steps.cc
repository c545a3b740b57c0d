// SPDX-License-Identifier: Apache-2.0
// The user's program: where it starts, where it is, the gate before it, and the exec.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/prctl.h>
#include <linux/stat.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr int kAtEmptyPath = 0x1000;
constexpr int kAtEaccess = 0x200;
constexpr int kExecuteOk = 1;
constexpr int kSockCloexec = 02000000;

// A cwd that leads through /proc/self/fd or out of the root does not get past openat2
// (CVE-2024-21626).
long enter_cwd(Run& run) noexcept {
    const long root = run.k(__NR_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (root < 0)
        return root;
    const bool may_make = run.plan.mode == Mode::create;
    const char* const path = run.plan.program.cwd;
    const long fd =
        may_make ? open_or_make(run.k, static_cast<int>(root), path, Target::directory)
                 : open_in_root(run.k, static_cast<int>(root), path, O_PATH | O_DIRECTORY, 0);
    (void)run.k(__NR_close, root);  // O_PATH
    if (fd < 0)
        return fd;
    const long r = run.k(__NR_fchdir, fd);
    (void)run.k(__NR_close, fd);  // O_PATH
    return r;
}

// Whether the folder that the process stands in can be reached from its root.
long verify_cwd(Run& run) noexcept {
    char path[4096];
    const long n = run.k(__NR_getcwd, path, sizeof path);
    if (n < 0)
        return n;
    return path[0] == '/' ? 0 : -EXDEV;  // "(unreachable)..."
}

long check_program(Run& run, const char* path) noexcept {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    // A hook is the administrator's and may be /proc/PID/exe; a program that is a magic link would
    // be ours.
    how.resolve = run.plan.mode == Mode::hook ? 0 : RESOLVE_NO_MAGICLINKS;
    const long fd = run.k(__NR_openat2, AT_FDCWD, path, &how, sizeof how);
    if (fd < 0)
        return fd;
    struct statx st {};
    long r = run.k(__NR_statx, fd, "", kAtEmptyPath, STATX_TYPE | STATX_MODE, &st);
    if (r >= 0 && (st.stx_mode & S_IFMT) != S_IFREG)
        r = -EACCES;
    if (r >= 0)
        r = run.k(__NR_faccessat2, fd, "", kExecuteOk, kAtEmptyPath | kAtEaccess);
    (void)run.k(__NR_close, fd);  // O_PATH
    return r;
}

// As pid 1 of its namespace init ignores every signal that it has no handler for: a created
// container would not react to `kill ID TERM`.
[[noreturn]] void end_on_signal(int signal) noexcept {
    while (true) {
#if defined(__x86_64__)
        asm volatile("syscall"
                     :
                     : "a"(__NR_exit_group), "D"(128 + signal)
                     : "rcx", "r11", "memory");
#else
        register long x8 asm("x8") = __NR_exit_group;
        register long x0 asm("x0") = 128 + signal;
        asm volatile("svc 0" : : "r"(x8), "r"(x0) : "memory");
#endif
    }
}

struct KernelSigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    uint64_t mask;
};
constexpr unsigned long kSaRestorer = 0x04000000;
constexpr int kEndingSignals[] = {1, 2, 3, 15};  // HUP, INT, QUIT, TERM

long accept_start(Run& run) noexcept {
    while (true) {
        const long fd = run.k(__NR_accept4, run.plan.gate_fd, nullptr, nullptr, kSockCloexec);
        if (fd == -EINTR || fd == -ECONNABORTED)
            continue;
        if (fd < 0)
            return fd;
        Message message;
        const long n = run.k(__NR_recvfrom, fd, &message, sizeof message, 0, nullptr, nullptr);
        if (n == sizeof message && message.word == Word::go) {
            run.report_fd = static_cast<int>(fd);
            return 0;
        }
        (void)run.k(__NR_close, fd);  // came and went without a word: wait for the next
    }
}

}  // namespace

long cwd(Run& run) noexcept {
    const long r = enter_cwd(run);
    run.in_cwd = r >= 0;
    // A folder that only the container's user may enter: tried again with its ids.
    if (r == -EACCES && run.plan.mode != Mode::hook)
        return 0;
    return r < 0 ? r : verify_cwd(run);
}

// HOME from the container's passwd, where config.json does not set it (C09). Read in small pieces:
// the file is the image's and may be of any size.
long home(Run& run) noexcept {
    if (run.plan.program.home_slot < 0)
        return 0;
    copy_text(run.home, sizeof run.home, "HOME=/");
    run.plan.program.envp[run.plan.program.home_slot] = run.home;
    // Not by AT_FDCWD: the working directory would be the root, and its etc/passwd anybody's.
    const long root = run.k(__NR_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (root < 0)
        return root;
    const long fd = open_in_root(run.k, static_cast<int>(root), "/etc/passwd",
                                 O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    (void)run.k(__NR_close, root);  // O_PATH
    if (fd < 0)
        return 0;  // an image without passwd: HOME=/
    const long r = find_home(run, static_cast<int>(fd));
    (void)run.k(__NR_close, fd);  // read-only
    return r;
}

long program(Run& run) noexcept {
    if (!run.in_cwd) {
        if (const long r = enter_cwd(run); r < 0)
            return r;
        if (const long r = verify_cwd(run); r < 0)
            return r;
    }
    const Program& wanted = run.plan.program;
    if (wanted.argv == nullptr)
        return 0;  // a config.json without a process: created, never started
    long result = -ENOENT;
    for (const char* const path : wanted.candidates) {
        result = check_program(run, path);
        if (result >= 0) {
            run.program = path;
            return 0;
        }
    }
    return wanted.searched ? -ENOENT : result;
}

long gate(Run& run) noexcept {
    const Message ready{.word = Word::ready, .cell_fd = run.cell_fd, .root = run.root};
    if (const long r = send_message(run, ready, run.cell_fd); r < 0)
        return r;
    if (const long r = await_go(run); r < 0)
        return r;
    if (run.plan.gate_fd < 0)
        return run.k(__NR_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0);
    const KernelSigaction ending{end_on_signal, kSaRestorer, nullptr, 0};
    const KernelSigaction by_default{};
    for (const int signal : kEndingSignals)
        if (const long r = run.k(__NR_rt_sigaction, signal, &ending, nullptr, sizeof(uint64_t));
            r < 0)
            return r;
    if (const long r = run.k(__NR_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0); r < 0)
        return r;
    // The container is created; whoever made it may go now.
    if (const long r = run.k(__NR_close, run.plan.sync_fd); r < 0)
        return r;
    if (const long r = accept_start(run); r < 0)
        return r;
    for (const int signal : kEndingSignals)
        if (const long r = run.k(__NR_rt_sigaction, signal, &by_default, nullptr, sizeof(uint64_t));
            r < 0)
            return r;
    return 0;
}

long exec(Run& run) noexcept {
    if (run.program == nullptr)
        return -ENOEXEC;
    const long r = run.k(__NR_execve, run.program, run.plan.program.argv, run.plan.program.envp);
    return r < 0 ? r : -ENOEXEC;
}

}  // namespace hardrun::init
