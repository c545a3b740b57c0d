// SPDX-License-Identifier: Apache-2.0
// Runs a test body in its own process, for bodies that change the process for good (unshare,
// setuid, seccomp, chdir). Without it one such test silently weakens every test that runs after it.
#pragma once

#include <sys/wait.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace hardrun::test {

// Returns the body's return value, or 128 + signal. The body must not use gtest assertions: they
// would be reported in the wrong process. It returns 0 for "fine" and any other number to say where
// it failed.
template <class Body>
int run_in_child(Body body) {
    (void)std::fflush(nullptr);  // else the child prints the parent's buffered output again
    const pid_t pid = ::fork();
    if (pid < 0)
        return -1;
    if (pid == 0)
        ::_exit(body());
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace hardrun::test
