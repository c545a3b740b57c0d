// SPDX-License-Identifier: Apache-2.0
// Runs code under a compiled filter, in a process of its own.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

#include "config/read_spec.h"
#include "runtime/plan/seccomp.h"
#include "tests/support/run_in_child.h"

namespace hardrun::test {

// The seccomp object of a config.json, read by the real readers.
inline Result<config::Seccomp> seccomp_of(std::string_view object) {
    config::Notes notes;
    HARDRUN_TRY(auto spec, config::read_spec(
                               R"({"ociVersion":"1.0.2","root":{"path":"r"},"linux":{"seccomp":)" +
                                   std::string(object) + "}}",
                               notes));
    return *std::move(spec.linux.seccomp);
}

inline bool load(const plan::SeccompProgram& program) {
    sock_fprog fprog{};
    fprog.len = static_cast<unsigned short>(program.instructions.size());
    // The kernel only reads it.
    fprog.filter =
        reinterpret_cast<sock_filter*>(const_cast<uint64_t*>(program.instructions.data()));
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, program.flags, &fprog) == 0;
}

// errno of a raw system call, 0 for success.
inline int errno_of(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
    errno = 0;
    return ::syscall(number, a, b, c, d) == -1 ? errno : 0;
}

// 0, or the errno that a filter which allows everything was refused with (emulation has none).
inline int cannot_filter() {
    static const int number = run_in_child([] {
        sock_filter allow{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = SECCOMP_RET_ALLOW};
        const sock_fprog fprog{.len = 1, .filter = &allow};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
            return errno;
        return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) == 0 ? 0 : errno;
    });
    return number;
}

constexpr int kNotLoaded = 99;

// The child ends by the bare call: a sanitizer's exit would need calls that a filter may refuse.
template <class Body>
int under_filter(const plan::SeccompProgram& program, Body body) {
    return run_in_child([&] {
        (void)std::signal(SIGSEGV, SIG_DFL);
        const int result = load(program) ? body() : kNotLoaded;
        return static_cast<int>(::syscall(SYS_exit_group, result));
    });
}

}  // namespace hardrun::test
