// SPDX-License-Identifier: Apache-2.0
// The real kernel behind the seam of kernel.h, for the init program only.
#pragma once

#include "runtime/init/kernel.h"

namespace hardrun::init {

class RealKernel final : public Kernel {
  protected:
    long call(long nr, const long (&args)[6]) noexcept override {
#if defined(__x86_64__)
        long result = nr;
        register long r10 asm("r10") = args[3];
        register long r8 asm("r8") = args[4];
        register long r9 asm("r9") = args[5];
        asm volatile("syscall"
                     : "+a"(result)
                     : "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
        return result;
#else
        register long x8 asm("x8") = nr;
        register long x0 asm("x0") = args[0];
        register long x1 asm("x1") = args[1];
        register long x2 asm("x2") = args[2];
        register long x3 asm("x3") = args[3];
        register long x4 asm("x4") = args[4];
        register long x5 asm("x5") = args[5];
        asm volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
        return x0;
#endif
    }
};

}  // namespace hardrun::init
