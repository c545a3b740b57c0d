// SPDX-License-Identifier: Apache-2.0
#include "config/names.h"

#include <linux/capability.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include <csignal>
#include <set>

namespace hardrun::config {
namespace {

TEST(Names, capabilities) {
    EXPECT_EQ(capability_number("CAP_CHOWN"), CAP_CHOWN);
    EXPECT_EQ(capability_number("CAP_SYS_ADMIN"), CAP_SYS_ADMIN);
    EXPECT_EQ(capability_number("CAP_AUDIT_READ"), CAP_AUDIT_READ);
    EXPECT_EQ(capability_number("CAP_CHECKPOINT_RESTORE"), CAP_LAST_CAP);
    for (const char* bad : {"", "CHOWN", "cap_chown", "CAP_", "CAP_CHOWN ", "CAP_NOSUCH"})
        EXPECT_FALSE(capability_number(bad)) << bad;
    EXPECT_EQ(capability_name(CAP_NET_RAW), "CAP_NET_RAW");
    EXPECT_EQ(capability_name(41), "");
    const NameList names = capability_names();
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), 41U);
    for (uint8_t n = 0; n < names.size(); ++n)
        EXPECT_EQ(capability_number(capability_name(n)), n);
}

TEST(Names, C17_signals) {
    for (const char* nine : {"9", "KILL", "SIGKILL", "kill", "sigkill", "SigKill"})
        EXPECT_EQ(signal_number(nine), SIGKILL) << nine;
    EXPECT_EQ(signal_number("0"), 0);
    EXPECT_EQ(signal_number("64"), 64);
    EXPECT_EQ(signal_number("SIGRTMIN+3"), 37);
    EXPECT_EQ(signal_number("RTMIN+3"), 37);
    EXPECT_EQ(signal_number("rtmin"), 34);
    EXPECT_EQ(signal_number("RTMAX"), 64);
    EXPECT_EQ(signal_number("SIGRTMAX-30"), 34);
    EXPECT_EQ(signal_number("CLD"), SIGCHLD);
    EXPECT_EQ(signal_number("IOT"), SIGABRT);
    for (const char* bad :
         {"", "99", "65", "FOO", "-1", "+9", "9 ", " 9", "SIG", "SIG9", "SIGSIGKILL", "RTMIN-1",
          "RTMIN+31", "RTMIN+", "RTMAX+1", "RTMIN3", "0x9"})
        EXPECT_FALSE(signal_number(bad)) << bad;
    for (int n = 1; n <= 31; ++n)
        EXPECT_EQ(signal_number(signal_name(n)), n);
    EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
    EXPECT_EQ(signal_name(37), "");
}

TEST(Names, rlimits_both_ways) {
    EXPECT_EQ(rlimit_number("RLIMIT_NOFILE"), RLIMIT_NOFILE);
    EXPECT_FALSE(rlimit_number("RLIMIT_FOO"));
    EXPECT_FALSE(rlimit_number("NOFILE"));
    for (int n = 0; n < static_cast<int>(RLIM_NLIMITS); ++n)
        EXPECT_EQ(rlimit_number(rlimit_name(n)), n);
}

TEST(Names, namespaces_and_seccomp_both_ways) {
    for (const std::string_view name : namespace_names())
        EXPECT_EQ(namespace_name(*namespace_type(name)), name);
    EXPECT_EQ(namespace_names().size(), 8U);
    EXPECT_FALSE(namespace_type("net"));
    for (const std::string_view name : seccomp_op_names())
        EXPECT_EQ(seccomp_op_name(*seccomp_op(name)), name);
    for (const std::string_view name : seccomp_action_names())
        EXPECT_EQ(seccomp_action_name(*seccomp_action(name)),
                  name == "SCMP_ACT_KILL_THREAD" ? "SCMP_ACT_KILL" : name);
    EXPECT_EQ(seccomp_action("SCMP_ACT_KILL"), seccomp_action("SCMP_ACT_KILL_THREAD"));
    EXPECT_FALSE(seccomp_action("SCMP_ACT_BOGUS"));
}

}  // namespace
}  // namespace hardrun::config
