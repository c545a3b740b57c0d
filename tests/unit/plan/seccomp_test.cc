// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/seccomp.h"

#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/seccomp_program.h"

namespace hardrun::plan {
namespace {

using test::errno_of;
using test::under_filter;

// Runs filters: that needs the kernel itself. What the tables say is in seccomp_table_test.cc.
class Seccomp : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const int number = test::cannot_filter(); number != 0)
            GTEST_SKIP() << "no seccomp filter can be loaded here: " << std::strerror(number);
    }
};

#ifdef __x86_64__
constexpr const char* kArchitectures = R"("SCMP_ARCH_X86_64","SCMP_ARCH_X86","SCMP_ARCH_X32")";
#else
constexpr const char* kArchitectures = R"("SCMP_ARCH_AARCH64","SCMP_ARCH_ARM")";
#endif

SeccompProgram compiled(std::string_view object) {
    const auto seccomp = test::seccomp_of(object);
    EXPECT_TRUE(seccomp) << seccomp.error().what();
    if (!seccomp)
        return {};
    auto program = compile_seccomp(*seccomp);
    EXPECT_TRUE(program) << program.error().what();
    return program ? *std::move(program) : SeccompProgram{};
}

// An allow-list with what a C program needs to run and to end.
std::string allow_list(std::string_view more, std::string_view keys = "") {
    return R"({"defaultAction":"SCMP_ACT_ERRNO",)" + std::string(keys) + R"("architectures":[)" +
           kArchitectures +
           R"(],)"
           R"("syscalls":[{"names":["read","write","exit_group","exit","getpid","rt_sigreturn")" +
           std::string(more) + R"(],"action":"SCMP_ACT_ALLOW"}]})";
}

TEST_F(Seccomp, C35_errno_of_a_rule) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[
            {"names":["mkdirat","no_such_syscall_x"],"action":"SCMP_ACT_ERRNO","errnoRet":33},
            {"names":["unlinkat"],"action":"SCMP_ACT_ERRNO"}]})");
    EXPECT_EQ(p.flags, 0U);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_mkdirat, AT_FDCWD, 0); }), 33);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_unlinkat); }), EPERM);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_getpid); }), 0);
}

TEST_F(Seccomp, C35_unknown_calls_get_enosys_above_the_newest_named) {
    const SeccompProgram p = compiled(allow_list(R"(,"clone3","faccessat2")"));
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_mkdirat); }), EPERM);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_ptrace); }), EPERM);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_faccessat2, -1, 0); }), EFAULT);
    EXPECT_EQ(under_filter(p, [] { return errno_of(440); }), ENOSYS);
    EXPECT_EQ(under_filter(p, [] { return errno_of(600); }), ENOSYS);
    EXPECT_EQ(under_filter(p, [] { return errno_of(100000); }), ENOSYS);
    EXPECT_EQ(under_filter(p, [] { return errno_of(-1); }), ENOSYS);
#ifdef __x86_64__
    // x32: the bit alone is no newer number, and its own newest is looked at.
    EXPECT_EQ(under_filter(p, [] { return errno_of(0x40000000 + SYS_ptrace); }), EPERM);
    EXPECT_EQ(under_filter(p, [] { return errno_of(0x40000000 + 600); }), ENOSYS);
#endif
}

TEST_F(Seccomp, C35_a_default_errno_that_is_named_holds_for_all) {
    const SeccompProgram p = compiled(allow_list(R"(,"faccessat2")", R"("defaultErrnoRet":1,)"));
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_mkdirat); }), 1);
    EXPECT_EQ(under_filter(p, [] { return errno_of(600); }), 1);
    const SeccompProgram q = compiled(allow_list(R"(,"faccessat2")", R"("defaultErrnoRet":55,)"));
    EXPECT_EQ(under_filter(q, [] { return errno_of(SYS_mkdirat); }), 55);
    EXPECT_EQ(under_filter(q, [] { return errno_of(600); }), 55);
}

TEST_F(Seccomp, no_enosys_where_the_default_allows) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW",
            "syscalls":[{"names":["unlinkat"],"action":"SCMP_ACT_ERRNO","errnoRet":2}]})");
    // 452 is fchmodat2 where the kernel has it: anything but a filter's answer.
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_faccessat2, -1, 0); }), EFAULT);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_unlinkat); }), 2);
}

TEST_F(Seccomp, names_that_libseccomp_does_not_know_yet) {
    const SeccompProgram p = compiled(allow_list(R"(,"fchmodat2")"));
    const int reached = under_filter(p, [] { return errno_of(452, -1, 0); });
    EXPECT_TRUE(reached == EFAULT || reached == ENOSYS) << reached;
    EXPECT_EQ(under_filter(p, [] { return errno_of(453); }), ENOSYS);
    const SeccompProgram deny = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[
            {"names":["statmount","mseal"],"action":"SCMP_ACT_ERRNO","errnoRet":77}]})");
    EXPECT_EQ(under_filter(deny, [] { return errno_of(457); }), 77);
    EXPECT_EQ(under_filter(deny, [] { return errno_of(462); }), 77);
    EXPECT_NE(under_filter(deny, [] { return errno_of(458); }), 77);
}

TEST_F(Seccomp, kill_process_and_trap) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[
            {"names":["mkdirat"],"action":"SCMP_ACT_KILL_PROCESS"},
            {"names":["unlinkat"],"action":"SCMP_ACT_KILL"},
            {"names":["symlinkat"],"action":"SCMP_ACT_TRAP"},
            {"names":["linkat"],"action":"SCMP_ACT_TRACE","errnoRet":7},
            {"names":["getuid"],"action":"SCMP_ACT_LOG"}]})");
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_mkdirat); }), 128 + SIGSYS);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_unlinkat); }), 128 + SIGSYS);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_symlinkat); }), 128 + SIGSYS);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_linkat); }), ENOSYS);  // nobody traces
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_getuid); }), 0);
}

TEST_F(Seccomp, arguments_of_one_rule_must_all_hold) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["socket"],
            "action":"SCMP_ACT_ERRNO","errnoRet":42,"args":[
            {"index":0,"value":1,"op":"SCMP_CMP_EQ"},{"index":1,"value":2,"op":"SCMP_CMP_EQ"}]}]})");
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_socket, AF_UNIX, SOCK_DGRAM); }), 42);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_socket, AF_UNIX, SOCK_STREAM); }), 0);
}

TEST_F(Seccomp, the_same_argument_twice_means_either) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["socket"],
            "action":"SCMP_ACT_ERRNO","errnoRet":42,"args":[
            {"index":0,"value":1,"op":"SCMP_CMP_EQ"},{"index":0,"value":2,"op":"SCMP_CMP_EQ"}]}]})");
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_socket, AF_UNIX, SOCK_DGRAM); }), 42);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_socket, AF_INET, SOCK_DGRAM); }), 42);
    EXPECT_NE(under_filter(p, [] { return errno_of(SYS_socket, AF_NETLINK, SOCK_RAW); }), 42);
}

TEST_F(Seccomp, comparisons) {
    struct Case {
        const char* op;
        long value;
        long hit;
        long miss;
    };
    const Case cases[] = {{"NE", 5, 6, 5}, {"LT", 5, 4, 5}, {"LE", 5, 5, 6},
                          {"EQ", 5, 5, 4}, {"GE", 5, 5, 4}, {"GT", 5, 6, 5}};
    for (const Case& c : cases) {
        const SeccompProgram p = compiled(
            R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["dup"],
                "action":"SCMP_ACT_ERRNO","errnoRet":42,"args":[{"index":1,"value":)" +
            std::to_string(c.value) + R"(,"op":"SCMP_CMP_)" + c.op + R"("}]}]})");
        EXPECT_EQ(under_filter(p, [&] { return errno_of(SYS_dup, -1, c.hit); }), 42) << c.op;
        EXPECT_EQ(under_filter(p, [&] { return errno_of(SYS_dup, -1, c.miss); }), EBADF) << c.op;
    }
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["dup"],
            "action":"SCMP_ACT_ERRNO","errnoRet":42,"args":[
            {"index":1,"value":18446744069414584320,"valueTwo":4294967296,"op":"SCMP_CMP_MASKED_EQ"}]}]})");
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_dup, -1, (1L << 32) + 7); }), 42);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_dup, -1, 7); }), EBADF);
}

TEST_F(Seccomp, a_rule_like_the_default_is_no_error) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdirat"],"action":"SCMP_ACT_ALLOW"}]})");
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_getpid); }), 0);
    const SeccompProgram q = compiled(R"({"defaultAction":"SCMP_ACT_ALLOW"})");
    EXPECT_EQ(under_filter(q, [] { return errno_of(SYS_getpid); }), 0);
}

#ifdef __x86_64__
TEST_F(Seccomp, C35_another_architectures_door_is_shut) {
    const SeccompProgram p =
        compiled(R"({"defaultAction":"SCMP_ACT_ALLOW","architectures":["SCMP_ARCH_X86_64"],
                     "syscalls":[{"names":["mkdirat"],"action":"SCMP_ACT_ERRNO"}]})");
    const int by_i386 = under_filter(p, [] {
        long result = 20;  // getpid of i386
        asm volatile("int $0x80" : "+a"(result) : : "memory");
        return 1;
    });
    // A kernel without that door answers with SIGSEGV.
    EXPECT_TRUE(by_i386 == 128 + SIGSYS || by_i386 == 128 + SIGSEGV) << by_i386;
    EXPECT_EQ(under_filter(p, [] { return errno_of(0x40000000 + SYS_getpid); }), 128 + SIGSYS);
}
#endif

TEST_F(Seccomp, flags) {
    const SeccompProgram p = compiled(
        R"({"defaultAction":"SCMP_ACT_ALLOW","flags":["SECCOMP_FILTER_FLAG_LOG",
            "SECCOMP_FILTER_FLAG_SPEC_ALLOW","SECCOMP_FILTER_FLAG_TSYNC",
            "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"]})");
    EXPECT_EQ(p.flags, SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW);
    EXPECT_EQ(under_filter(p, [] { return errno_of(SYS_getpid); }), 0);
}

TEST_F(Seccomp, the_engines_profiles_compile_and_work) {
    for (const char* name : {"docker-default", "podman-default", "docker-capadd"}) {
        std::ifstream in(std::string(HARDRUN_TEST_DATA "/captures/") + name + ".json");
        std::ostringstream text;
        text << in.rdbuf();
        config::Notes notes;
        const auto spec = config::read_spec(text.str(), notes);
        ASSERT_TRUE(spec) << name;
        const auto program = compile_seccomp(*spec->linux.seccomp);
        ASSERT_TRUE(program) << name << ": " << program.error().what();
        EXPECT_EQ(under_filter(*program, [] { return errno_of(SYS_getpid); }), 0) << name;
        EXPECT_EQ(under_filter(*program, [] { return errno_of(SYS_acct, 1); }), EPERM) << name;
        EXPECT_EQ(under_filter(*program, [] { return errno_of(SYS_personality, PER_BSD); }),
                  std::string_view(name).starts_with("podman") ? ENOSYS : EPERM)
            << name;
        EXPECT_EQ(under_filter(*program, [] { return errno_of(600); }), ENOSYS) << name;
    }
}

}  // namespace
}  // namespace hardrun::plan
