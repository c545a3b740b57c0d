// SPDX-License-Identifier: Apache-2.0
// The seam to the kernel: every system call of init goes through one virtual function. The real one
// is a single instruction; tests use one that keeps the ordered list of calls and can fail at any
// of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hardrun::init {

// Anything that fits a register: integers and pointers.
struct Arg {
    template <class T>
    Arg(T* p) : value(reinterpret_cast<long>(p)) {}
    Arg(std::nullptr_t) : value(0) {}
    Arg(int v) : value(v) {}
    Arg(unsigned v) : value(static_cast<long>(v)) {}
    Arg(long v) : value(v) {}
    Arg(unsigned long v) : value(static_cast<long>(v)) {}
    Arg(unsigned long long v) : value(static_cast<long>(v)) {}
    long value;
};

class Kernel {
  public:
    // The result, or a negative errno. Remembers the last call that failed, for the report.
    // NOLINTNEXTLINE(readability-function-size): a system call has a number and six arguments
    long operator()(long nr, Arg a = 0, Arg b = 0, Arg c = 0, Arg d = 0, Arg e = 0,
                    Arg f = 0) noexcept {
        const long args[6] = {a.value, b.value, c.value, d.value, e.value, f.value};
        const long result = call(nr, args);
        if (result < 0)
            failed_call = static_cast<int32_t>(nr);
        return result;
    }

    int32_t failed_call = 0;

  protected:
    virtual long call(long nr, const long (&args)[6]) noexcept = 0;
    ~Kernel() = default;  // never deleted through this type, so no heap is needed for it
};

}  // namespace hardrun::init
