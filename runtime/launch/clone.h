// SPDX-License-Identifier: Apache-2.0
// clone3(2) with CLONE_VM and a stack of its own: no page table is copied and no page of ours is
// written to twice, which is most of what fork(2) costs.
#pragma once

#include <linux/sched.h>
#include <sys/types.h>

#include <cstddef>

namespace hardrun::launch {

// Runs `entry(argument)` in the child, on `stack`; entry never returns. The child shares our memory
// until it executes a program or ends: it may only make raw system calls (errno is ours), and what
// it reads must stay as long. The pid, or a negative errno.
pid_t clone_onto(clone_args& args, void* stack, size_t stack_size, void (*entry)(void*),
                 void* argument);

}  // namespace hardrun::launch
