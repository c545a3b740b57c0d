// SPDX-License-Identifier: Apache-2.0
// The terminal, the session, and the small settings of the container: names, sysctls, limits,
// keyring.
#include <asm/errno.h>
#include <asm/ioctls.h>
#include <asm/termios.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/openat2.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr int kAtEmptyPath = 0x1000;

// The peer comes from the master's own descriptor, never by name (CVE-2025-52565).
long open_terminal(Run& run, int root, int& master, int& peer) noexcept {
    const long fd =
        open_in_root(run.k, root, "dev/pts/ptmx", O_RDWR | O_NOCTTY, RESOLVE_NO_SYMLINKS);
    if (fd < 0)
        return fd;
    master = static_cast<int>(fd);
    const int unlocked = 0;
    if (const long r = run.k(__NR_ioctl, master, TIOCSPTLCK, &unlocked); r < 0)
        return r;
    const long other = run.k(__NR_ioctl, master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (other < 0)
        return other;
    peer = static_cast<int>(other);
    return 0;
}

long bind_console(Run& run, int peer) noexcept {
    const long tree =
        run.k(__NR_open_tree, peer, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | kAtEmptyPath);
    if (tree < 0)
        return tree;
    const long target = open_or_make(run.k, run.plan.root_fd, "dev/console", Target::file);
    if (target < 0)
        return target;
    const long r = run.k(__NR_move_mount, tree, "", target, "",
                         MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
    (void)run.k(__NR_close, target);  // O_PATH
    (void)run.k(__NR_close, tree);    // attached, or dissolved
    return r;
}

long take_stdio(Run& run, int peer) noexcept {
    for (int fd = 0; fd <= 2; ++fd)
        if (const long r = run.k(__NR_dup3, peer, fd, 0); r < 0)
            return r;
    return run.k(__NR_close, peer);
}

long write_sysctl(Run& run, const SysctlOp& op) noexcept {
    const long root = run.k(__NR_openat, run.proc_fd, "sys", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (root < 0)
        return root;
    open_how how{};
    how.flags = O_WRONLY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
    const long fd = run.k(__NR_openat2, root, op.path, &how, sizeof how);
    (void)run.k(__NR_close, root);  // O_PATH
    if (fd < 0)
        return fd;
    const long n = run.k(__NR_write, fd, op.value, length(op.value));
    (void)run.k(__NR_close, fd);  // the write had its own answer
    return n;
}

}  // namespace

long console(Run& run) noexcept {
    if (!run.plan.terminal)
        return 0;
    const bool create = run.plan.mode == Mode::create;
    const long root = create
                          ? run.plan.root_fd
                          : run.k(__NR_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (root < 0)
        return root;
    int master = -1;
    int peer = -1;
    if (const long r = open_terminal(run, static_cast<int>(root), master, peer); r < 0)
        return r;
    if (run.plan.console_rows != 0 || run.plan.console_columns != 0) {
        winsize size{};
        size.ws_row = run.plan.console_rows;
        size.ws_col = run.plan.console_columns;
        if (const long r = run.k(__NR_ioctl, peer, TIOCSWINSZ, &size); r < 0)
            return r;
    }
    if (const long r = run.k(__NR_fchown, peer, run.plan.identity.uid, ~0U); r < 0)
        return r;
    if (run.plan.console_node)
        if (const long r = bind_console(run, peer); r < 0)
            return r;
    const Message message{.word = Word::console};
    if (const long r = send_message(run, message, master); r < 0)
        return r;
    (void)run.k(__NR_close, master);  // the parent has it now
    return take_stdio(run, peer);
}

// A new session for every program; with a terminal, that one is its controlling terminal.
long session(Run& run) noexcept {
    if (const long r = run.k(__NR_setsid); r < 0 && r != -EPERM)
        return r;
    return run.plan.terminal ? run.k(__NR_ioctl, 0, TIOCSCTTY, 0) : 0;
}

long sysctls(Run& run) noexcept {
    int uplink = -1;
    long r = 0;
    for (const SysctlOp& op : run.plan.sysctls) {
        if (op.network && run.cell_fd >= 0 && uplink < 0) {
            const long fd =
                run.k(__NR_openat, run.proc_fd, "thread-self/ns/net", O_RDONLY | O_CLOEXEC, 0);
            if (fd < 0)
                return fd;
            uplink = static_cast<int>(fd);
            if (r = run.k(__NR_setns, run.cell_fd, 0); r < 0)
                return r;
        }
        r = write_sysctl(run, op);
        if (r < 0)
            break;
        ++run.index;
    }
    if (uplink >= 0) {
        if (const long back = run.k(__NR_setns, uplink, 0); back < 0)
            return back;
        (void)run.k(__NR_close, uplink);  // read-only
    }
    return r;
}

long hostname(Run& run) noexcept {
    const char* const name = run.plan.hostname;
    return name == nullptr ? 0 : run.k(__NR_sethostname, name, length(name));
}

long domainname(Run& run) noexcept {
    const char* const name = run.plan.domainname;
    return name == nullptr ? 0 : run.k(__NR_setdomainname, name, length(name));
}

long rlimits(Run& run) noexcept {
    for (const RlimitOp& op : run.plan.rlimits) {
        const uint64_t limit[2] = {op.soft, op.hard};
        if (const long r = run.k(__NR_prlimit64, 0, op.resource, limit, nullptr); r < 0)
            return r;
        ++run.index;
    }
    return 0;
}

// A session keyring of its own: the caller's keys are not the container's.
long keyring(Run& run) noexcept {
    if (!run.plan.new_keyring)
        return 0;
    const long r = run.k(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, run.plan.keyring_name, 0, 0, 0);
    return r == -ENOSYS ? 0 : r;  // a kernel without keyrings has nothing to share
}

}  // namespace hardrun::init
