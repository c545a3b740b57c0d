// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/clone.h"

#include <sys/syscall.h>

#include <cstdint>

namespace hardrun::launch {

pid_t clone_onto(clone_args& args, void* stack, size_t stack_size, void (*entry)(void*),
                 void* argument) {
    args.flags |= CLONE_VM;
    args.stack = reinterpret_cast<uint64_t>(stack);
    args.stack_size = stack_size;
    // The child leaves the system call on an empty stack: it must call on, never return.
#if defined(__x86_64__)
    long result = SYS_clone3;
    asm volatile(
        "syscall\n\t"
        "test %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "xor %%ebp, %%ebp\n\t"
        "mov %[argument], %%rdi\n\t"
        "call *%[entry]\n\t"
        "ud2\n"
        "1:"
        : "+a"(result)
        : "D"(&args), "S"(sizeof args), [entry] "r"(entry), [argument] "r"(argument)
        : "rcx", "r11", "memory");
    return static_cast<pid_t>(result);
#else
    register long x8 asm("x8") = SYS_clone3;
    register long x0 asm("x0") = reinterpret_cast<long>(&args);
    register long x1 asm("x1") = sizeof args;
    register auto* x2 asm("x2") = entry;
    register void* x3 asm("x3") = argument;
    asm volatile(
        "svc 0\n\t"
        "cbnz x0, 1f\n\t"
        "mov x29, xzr\n\t"
        "mov x0, x3\n\t"
        "blr x2\n\t"
        "brk 1\n"
        "1:"
        : "+r"(x0)
        : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
        : "memory");
    return static_cast<pid_t>(x0);
#endif
}

}  // namespace hardrun::launch
