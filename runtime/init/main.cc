// SPDX-License-Identifier: Apache-2.0
// The init program's entry: freestanding, no C library. argv[1] is the plan's descriptor in
// decimal.
#include <asm/unistd.h>
#include <linux/mman.h>
#include <linux/stat.h>

#include "runtime/init/steps.h"
#include "runtime/init/syscall.h"

namespace {

constexpr int kBadCall = 124;
constexpr int kFailed = 125;

int descriptor_of(const char* text) {
    int value = 0;
    for (; *text >= '0' && *text <= '9'; ++text)
        value = value * 10 + (*text - '0');
    return value;
}

// The plan, private and writable: init fills in HOME.
const hardrun::init::InitPlan* map_plan(hardrun::init::Kernel& k, int fd) {
    struct statx st {};
    if (k(__NR_statx, fd, "", 0x1000 /* AT_EMPTY_PATH */, STATX_SIZE, &st) < 0)
        return nullptr;
    const long at = k(__NR_mmap, hardrun::init::kPlanAddress, st.stx_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
    if (at != static_cast<long>(hardrun::init::kPlanAddress))
        return nullptr;
    (void)k(__NR_close, fd);  // the mapping stays
    const auto* plan = reinterpret_cast<const hardrun::init::InitPlan*>(at);
    return plan->magic == hardrun::init::kPlanMagic ? plan : nullptr;
}

}  // namespace

extern "C" [[noreturn]] void hardrun_init_main(const long* stack) {
    hardrun::init::RealKernel kernel;
    const long argc = stack[0];
    const auto* argv = reinterpret_cast<const char* const*>(stack + 1);
    int status = kBadCall;
    if (argc == 2) {
        if (const auto* plan = map_plan(kernel, descriptor_of(argv[1])); plan != nullptr) {
            (void)hardrun::init::run_steps(
                *plan, kernel);  // returns only on failure, which it has reported
            status = kFailed;
        }
    }
    while (true)
        (void)kernel(__NR_exit_group, status);
}

#if defined(__x86_64__)
asm(".global _start\n_start:\n  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call "
    "hardrun_init_main\n");
#else
asm(".global _start\n_start:\n  mov x29, #0\n  mov x0, sp\n  bl hardrun_init_main\n");
#endif

// The compiler may turn loops and assignments into calls of these.
extern "C" {
#if defined(__x86_64__)
void* memset(void* to, int value, size_t n) {
    void* p = to;
    asm volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(value) : "memory");
    return to;
}
void* memcpy(void* to, const void* from, size_t n) {
    void* p = to;
    asm volatile("rep movsb" : "+D"(p), "+S"(from), "+c"(n) : : "memory");
    return to;
}
#else
void* memset(void* to, int value, size_t n) {
    auto* p = static_cast<volatile unsigned char*>(to);
    for (size_t i = 0; i < n; ++i)
        p[i] = static_cast<unsigned char>(value);
    return to;
}
void* memcpy(void* to, const void* from, size_t n) {
    auto* p = static_cast<volatile unsigned char*>(to);
    const auto* q = static_cast<const unsigned char*>(from);
    for (size_t i = 0; i < n; ++i)
        p[i] = q[i];
    return to;
}
#endif
}
