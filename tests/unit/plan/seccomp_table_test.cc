// SPDX-License-Identifier: Apache-2.0
// Every architecture's table of calls, read without a kernel (tests/support/seccomp_decide.h).
#include <linux/audit.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "tests/support/seccomp_decide.h"
#include "tests/support/seccomp_program.h"

namespace hardrun::plan {
namespace {

constexpr uint32_t kX32 = 0x40000000;

// An architecture and its own numbers, from the kernel's tables.
struct Arch {
    const char* name;
    uint32_t token;
    uint32_t mkdirat;
    uint32_t unlinkat;
    uint32_t faccessat2;
};

#if defined(__x86_64__)
constexpr Arch kArchs[] = {
    {"SCMP_ARCH_X86_64", AUDIT_ARCH_X86_64, 258, 263, 439},
    {"SCMP_ARCH_X86", AUDIT_ARCH_I386, 296, 301, 439},
    {"SCMP_ARCH_X32", AUDIT_ARCH_X86_64, kX32 + 258, kX32 + 263, kX32 + 439},
};
constexpr const char* kNames = R"("SCMP_ARCH_X86_64","SCMP_ARCH_X86","SCMP_ARCH_X32")";
constexpr uint32_t kForeign = AUDIT_ARCH_AARCH64;
#else
constexpr Arch kArchs[] = {
    {"SCMP_ARCH_AARCH64", AUDIT_ARCH_AARCH64, 34, 35, 439},
    {"SCMP_ARCH_ARM", AUDIT_ARCH_ARM, 323, 328, 439},
};
constexpr const char* kNames = R"("SCMP_ARCH_AARCH64","SCMP_ARCH_ARM")";
constexpr uint32_t kForeign = AUDIT_ARCH_X86_64;
#endif

uint32_t answer(const SeccompProgram& program, uint32_t token, uint32_t number) {
    seccomp_data data{};
    data.arch = token;
    data.nr = static_cast<int>(number);
    return test::decide(program, data);
}

SeccompProgram compiled(const std::string& object) {
    const auto seccomp = test::seccomp_of(object);
    EXPECT_TRUE(seccomp) << seccomp.error().what();
    auto program = compile_seccomp(*seccomp);
    EXPECT_TRUE(program) << program.error().what();
    return *std::move(program);
}

TEST(SeccompTable, an_allow_list_in_each_architectures_numbers) {
    const SeccompProgram p =
        compiled(R"({"defaultAction":"SCMP_ACT_ERRNO","architectures":[)" + std::string(kNames) +
                 R"(],"syscalls":[{"names":["mkdirat","faccessat2"],"action":"SCMP_ACT_ALLOW"}]})");
    for (const Arch& arch : kArchs) {
        EXPECT_EQ(answer(p, arch.token, arch.mkdirat), SECCOMP_RET_ALLOW) << arch.name;
        EXPECT_EQ(answer(p, arch.token, arch.faccessat2), SECCOMP_RET_ALLOW) << arch.name;
        EXPECT_EQ(answer(p, arch.token, arch.unlinkat), SECCOMP_RET_ERRNO | EPERM) << arch.name;
        // Newer than the newest that is named: "no such call", so that a program falls back.
        EXPECT_EQ(answer(p, arch.token, arch.faccessat2 + 1), SECCOMP_RET_ERRNO | ENOSYS)
            << arch.name;
    }
}

TEST(SeccompTable, a_deny_list_in_each_architectures_numbers) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","architectures":[)" + std::string(kNames) +
        R"(],"syscalls":[{"names":["unlinkat"],"action":"SCMP_ACT_ERRNO","errnoRet":33}]})");
    for (const Arch& arch : kArchs) {
        EXPECT_EQ(answer(p, arch.token, arch.unlinkat), SECCOMP_RET_ERRNO | 33U) << arch.name;
        EXPECT_EQ(answer(p, arch.token, arch.mkdirat), SECCOMP_RET_ALLOW) << arch.name;
        EXPECT_EQ(answer(p, arch.token, arch.faccessat2 + 100), SECCOMP_RET_ALLOW) << arch.name;
    }
}

TEST(SeccompTable, calls_newer_than_the_library_have_one_number_everywhere) {
    const SeccompProgram p =
        compiled(R"({"defaultAction":"SCMP_ACT_ERRNO","architectures":[)" + std::string(kNames) +
                 R"(],"syscalls":[{"names":["fchmodat2"],"action":"SCMP_ACT_ALLOW"}]})");
    for (const Arch& arch : kArchs) {
        const uint32_t base = arch.mkdirat & kX32;
        EXPECT_EQ(answer(p, arch.token, base + 452), SECCOMP_RET_ALLOW) << arch.name;
        EXPECT_EQ(answer(p, arch.token, base + 451), SECCOMP_RET_ERRNO | EPERM) << arch.name;
        EXPECT_EQ(answer(p, arch.token, base + 453), SECCOMP_RET_ERRNO | ENOSYS) << arch.name;
    }
}

TEST(SeccompTable, an_architecture_that_is_not_named_is_killed) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdirat"],"action":"SCMP_ACT_ERRNO"}]})");
    EXPECT_EQ(answer(p, kArchs[0].token, kArchs[0].mkdirat), SECCOMP_RET_ERRNO | EPERM);
    EXPECT_EQ(answer(p, kForeign, kArchs[0].mkdirat), SECCOMP_RET_KILL_PROCESS);
    EXPECT_EQ(answer(p, kArchs[1].token, kArchs[1].mkdirat), SECCOMP_RET_KILL_PROCESS);
}

TEST(SeccompTable, the_engines_profile_answers_the_same_everywhere) {
    std::ifstream in(HARDRUN_TEST_DATA "/captures/docker-default.json");
    std::ostringstream text;
    text << in.rdbuf();
    config::Notes notes;
    const auto spec = config::read_spec(text.str(), notes);
    ASSERT_TRUE(spec);
    auto seccomp = *spec->linux.seccomp;
    seccomp.architectures.clear();  // docker's capture names those of the machine it ran on
    const auto program = compile_seccomp(seccomp);
    ASSERT_TRUE(program) << program.error().what();
    const Arch& native = kArchs[0];
    EXPECT_EQ(answer(*program, native.token, native.mkdirat), SECCOMP_RET_ALLOW);
    EXPECT_EQ(answer(*program, native.token, SYS_acct), SECCOMP_RET_ERRNO | EPERM);
    EXPECT_EQ(answer(*program, native.token, SYS_init_module), SECCOMP_RET_ERRNO | EPERM);
    EXPECT_EQ(answer(*program, native.token, 600), SECCOMP_RET_ERRNO | ENOSYS);
}

TEST(SeccompTable, architectures_that_cannot_be_are_unsupported) {
    for (const char* arch : {"SCMP_ARCH_S390X", "SCMP_ARCH_M68K"}) {
        const auto seccomp = test::seccomp_of(
            R"({"defaultAction":"SCMP_ACT_ALLOW","architectures":[")" + std::string(arch) + "\"]}");
        ASSERT_TRUE(seccomp);
        const auto program = compile_seccomp(*seccomp);
        ASSERT_FALSE(program) << arch;
        EXPECT_EQ(program.error().kind(), Errc::unsupported);
        EXPECT_NE(program.error().what().find(arch), std::string::npos);
    }
}

}  // namespace
}  // namespace hardrun::plan
