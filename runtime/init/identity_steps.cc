// SPDX-License-Identifier: Apache-2.0
// Who the program will be: groups, ids, capabilities; and what can never be raised again.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

// What init itself still needs after the ids were given up: entering the cell, and loading a
// seccomp filter without no_new_privs. It ends with the exec, which computes its result from the
// inheritable, bounding and ambient sets alone (capabilities(7)).
uint64_t kept_until_exec(const InitPlan& plan) noexcept {
    const bool filter = !plan.seccomp.empty() && !plan.identity.no_new_privs;
    return plan.cell || filter ? uint64_t{1} << CAP_SYS_ADMIN : 0;
}

struct Sets {
    uint64_t effective;
    uint64_t permitted;
    uint64_t inheritable;
};

Sets wanted(const InitPlan& plan) noexcept {
    const Identity& id = plan.identity;
    const uint64_t kept = kept_until_exec(plan);
    return {id.effective | kept, id.permitted | kept, id.inheritable};
}

long set_caps(Kernel& k, const Sets& sets) noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2];
    for (unsigned i = 0; i < 2; ++i) {
        data[i].effective = static_cast<uint32_t>(sets.effective >> (32U * i));
        data[i].permitted = static_cast<uint32_t>(sets.permitted >> (32U * i));
        data[i].inheritable = static_cast<uint32_t>(sets.inheritable >> (32U * i));
    }
    return k(__NR_capset, &header, data);
}

long get_caps(Kernel& k, Sets& sets) noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    const long r = k(__NR_capget, &header, data);
    const auto join = [](uint32_t low, uint32_t high) { return low | uint64_t{high} << 32U; };
    sets = {join(data[0].effective, data[1].effective), join(data[0].permitted, data[1].permitted),
            join(data[0].inheritable, data[1].inheritable)};
    return r;
}

// Every capability of the kernel, also those that were added after this was written: dropping gives
// EINVAL above the last one. Without CAP_SETPCAP, what is gone already is as good.
long drop_bounding(Run& run) noexcept {
    for (unsigned cap = 0; cap < 64; ++cap) {
        if ((run.plan.identity.bounding >> cap & 1) != 0)
            continue;
        const long r = run.k(__NR_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0);
        if (r == -EINVAL)
            return 0;
        if (r < 0 && run.k(__NR_prctl, PR_CAPBSET_READ, cap, 0, 0, 0) != 0)
            return r;
    }
    return 0;
}

long raise_ambient(Run& run) noexcept {
    if (const long r = run.k(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); r < 0)
        return r;
    for (unsigned cap = 0; cap < 64; ++cap) {
        if ((run.plan.identity.ambient >> cap & 1) == 0)
            continue;
        run.index = static_cast<uint16_t>(cap);
        if (const long r = run.k(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
            r < 0)
            return r;
    }
    return 0;
}

long set_ids(Run& run) noexcept {
    const Identity& id = run.plan.identity;
    if (id.set_groups)
        if (const long r = run.k(__NR_setgroups, id.groups.size, id.groups.data); r < 0)
            return r;
    if (const long r = run.k(__NR_setresgid, id.gid, id.gid, id.gid); r < 0)
        return r;
    return run.k(__NR_setresuid, id.uid, id.uid, id.uid);
}

long verify_caps(Run& run) noexcept {
    Sets have{};
    if (const long r = get_caps(run.k, have); r < 0)
        return r;
    const Sets want = wanted(run.plan);
    if (have.effective != want.effective || have.permitted != want.permitted ||
        have.inheritable != want.inheritable)
        return -EPERM;
    for (unsigned cap = 0; cap < 64; ++cap) {
        if ((run.plan.identity.bounding >> cap & 1) != 0)
            continue;
        const long has = run.k(__NR_prctl, PR_CAPBSET_READ, cap, 0, 0, 0);
        if (has == -EINVAL)
            break;
        if (has != 0)
            return has < 0 ? has : -EPERM;
    }
    return 0;
}

long write_label(Run& run, const char* path, const char* text) noexcept {
    const long fd = run.k(__NR_openat, run.proc_fd, path, O_WRONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    const long n = run.k(__NR_write, fd, text, length(text));
    (void)run.k(__NR_close, fd);  // the write had its own answer
    return n;
}

}  // namespace

long identity(Run& run) noexcept {
    const Identity& id = run.plan.identity;
    if (id.set_capabilities)
        if (const long r = drop_bounding(run); r < 0)
            return r;
    if (const long r = run.k(__NR_prctl, PR_SET_KEEPCAPS, 1, 0, 0, 0); r < 0)
        return r;
    if (const long r = set_ids(run); r < 0)
        return r;
    if (const long r = run.k(__NR_prctl, PR_SET_KEEPCAPS, 0, 0, 0, 0); r < 0)
        return r;
    if (id.set_capabilities) {
        if (const long r = set_caps(run.k, wanted(run.plan)); r < 0)
            return r;
        if (const long r = raise_ambient(run); r < 0)
            return r;
    }
    (void)run.k(__NR_umask, id.set_umask ? id.umask : 0022);  // cannot fail
    // A change of ids may make the process readable to others again.
    return run.k(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// A call that claims success is not proof. What protects the host is read back before going on.
long verify_identity(Run& run) noexcept {
    const Identity& id = run.plan.identity;
    uint32_t real = 0;
    uint32_t effective = 0;
    uint32_t saved = 0;
    if (const long r = run.k(__NR_getresuid, &real, &effective, &saved); r < 0)
        return r;
    if (real != id.uid || effective != id.uid || saved != id.uid)
        return -EPERM;
    if (const long r = run.k(__NR_getresgid, &real, &effective, &saved); r < 0)
        return r;
    if (real != id.gid || effective != id.gid || saved != id.gid)
        return -EPERM;
    return id.set_capabilities ? verify_caps(run) : 0;
}

long label(Run& run) noexcept {
    if (run.plan.apparmor_exec != nullptr)
        if (const long r =
                write_label(run, "thread-self/attr/apparmor/exec", run.plan.apparmor_exec);
            r < 0)
            return r;
    if (run.plan.selinux_exec != nullptr)
        if (const long r = write_label(run, "thread-self/attr/exec", run.plan.selinux_exec); r < 0)
            return r;
    return 0;
}

long no_new_privs(Run& run) noexcept {
    if (!run.plan.identity.no_new_privs)
        return 0;
    if (const long r = run.k(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); r < 0)
        return r;
    const Identity& id = run.plan.identity;
    if (!id.set_capabilities || kept_until_exec(run.plan) == 0)
        return 0;
    return set_caps(run.k, {id.effective, id.permitted, id.inheritable});
}

// Last but for the exec itself: a filter may forbid whatever came before.
long seccomp(Run& run) noexcept {
    if (run.plan.seccomp.empty())
        return 0;
    // The plan keeps each instruction as the eight bytes that struct sock_filter is.
    sock_fprog program{};
    program.len = static_cast<unsigned short>(run.plan.seccomp.size);
    program.filter = reinterpret_cast<sock_filter*>(const_cast<uint64_t*>(run.plan.seccomp.data));
    return run.k(__NR_seccomp, SECCOMP_SET_MODE_FILTER, run.plan.seccomp_flags, &program);
}

}  // namespace hardrun::init
