// SPDX-License-Identifier: Apache-2.0
// What a compiled filter answers, worked out here and not by the kernel: so that every
// architecture's table is tested on every machine, also where nothing can be loaded (qemu-user).
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <bit>
#include <cstring>

#include "runtime/plan/seccomp.h"

namespace hardrun::test {

// The filter did something that the kernel would have refused to load.
constexpr uint32_t kBadFilter = 0xbadf;

// SECCOMP_RET_* with its data. The instructions are those that libseccomp and our prologue use.
inline uint32_t decide(const plan::SeccompProgram& program, const seccomp_data& data) {
    uint32_t a = 0;
    for (size_t pc = 0; pc < program.instructions.size(); ++pc) {
        const auto i = std::bit_cast<sock_filter>(program.instructions[pc]);
        bool hit = false;
        switch (i.code) {
            case BPF_LD | BPF_W | BPF_ABS:
                if (i.k > sizeof data - sizeof a)
                    return kBadFilter;
                std::memcpy(&a, reinterpret_cast<const char*>(&data) + i.k, sizeof a);
                continue;
            case BPF_ALU | BPF_AND | BPF_K:
                a &= i.k;
                continue;
            case BPF_RET | BPF_K:
                return i.k;
            case BPF_JMP | BPF_JA:
                pc += i.k;
                continue;
            case BPF_JMP | BPF_JEQ | BPF_K:
                hit = a == i.k;
                break;
            case BPF_JMP | BPF_JGT | BPF_K:
                hit = a > i.k;
                break;
            case BPF_JMP | BPF_JGE | BPF_K:
                hit = a >= i.k;
                break;
            case BPF_JMP | BPF_JSET | BPF_K:
                hit = (a & i.k) != 0;
                break;
            default:
                return kBadFilter;
        }
        pc += hit ? i.jt : i.jf;
    }
    return kBadFilter;
}

}  // namespace hardrun::test
