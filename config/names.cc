// SPDX-License-Identifier: Apache-2.0
#include "config/names.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>

namespace hardrun::config {
namespace {

template <class T>
struct Row {
    std::string_view name;
    T value;
};

template <class T, size_t N>
std::optional<T> find_value(const std::array<Row<T>, N>& rows, std::string_view name) {
    const auto it = std::ranges::find(rows, name, &Row<T>::name);
    return it != rows.end() ? std::optional<T>(it->value) : std::nullopt;
}

// The first row of a value is its proper name; further ones are other spellings.
template <class T, size_t N>
std::string_view find_name(const std::array<Row<T>, N>& rows, T value) {
    const auto it = std::ranges::find(rows, value, &Row<T>::value);
    return it != rows.end() ? it->name : std::string_view();
}

template <class T, size_t N>
NameList all_names(const std::array<Row<T>, N>& rows) {
    NameList names;
    for (const Row<T>& row : rows)
        names.push_back(row.name);
    return names;
}

// By number (linux/capability.h).
constexpr auto kCapabilities = std::to_array<std::string_view>({
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_DAC_READ_SEARCH",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_SETGID",
    "CAP_SETUID",
    "CAP_SETPCAP",
    "CAP_LINUX_IMMUTABLE",
    "CAP_NET_BIND_SERVICE",
    "CAP_NET_BROADCAST",
    "CAP_NET_ADMIN",
    "CAP_NET_RAW",
    "CAP_IPC_LOCK",
    "CAP_IPC_OWNER",
    "CAP_SYS_MODULE",
    "CAP_SYS_RAWIO",
    "CAP_SYS_CHROOT",
    "CAP_SYS_PTRACE",
    "CAP_SYS_PACCT",
    "CAP_SYS_ADMIN",
    "CAP_SYS_BOOT",
    "CAP_SYS_NICE",
    "CAP_SYS_RESOURCE",
    "CAP_SYS_TIME",
    "CAP_SYS_TTY_CONFIG",
    "CAP_MKNOD",
    "CAP_LEASE",
    "CAP_AUDIT_WRITE",
    "CAP_AUDIT_CONTROL",
    "CAP_SETFCAP",
    "CAP_MAC_OVERRIDE",
    "CAP_MAC_ADMIN",
    "CAP_SYSLOG",
    "CAP_WAKE_ALARM",
    "CAP_BLOCK_SUSPEND",
    "CAP_AUDIT_READ",
    "CAP_PERFMON",
    "CAP_BPF",
    "CAP_CHECKPOINT_RESTORE",
});
static_assert(kCapabilities.size() == 41);

constexpr auto kRlimits = std::to_array<Row<int>>({
    {"RLIMIT_AS", RLIMIT_AS},
    {"RLIMIT_CORE", RLIMIT_CORE},
    {"RLIMIT_CPU", RLIMIT_CPU},
    {"RLIMIT_DATA", RLIMIT_DATA},
    {"RLIMIT_FSIZE", RLIMIT_FSIZE},
    {"RLIMIT_LOCKS", RLIMIT_LOCKS},
    {"RLIMIT_MEMLOCK", RLIMIT_MEMLOCK},
    {"RLIMIT_MSGQUEUE", RLIMIT_MSGQUEUE},
    {"RLIMIT_NICE", RLIMIT_NICE},
    {"RLIMIT_NOFILE", RLIMIT_NOFILE},
    {"RLIMIT_NPROC", RLIMIT_NPROC},
    {"RLIMIT_RSS", RLIMIT_RSS},
    {"RLIMIT_RTPRIO", RLIMIT_RTPRIO},
    {"RLIMIT_RTTIME", RLIMIT_RTTIME},
    {"RLIMIT_SIGPENDING", RLIMIT_SIGPENDING},
    {"RLIMIT_STACK", RLIMIT_STACK},
});

constexpr auto kNamespaces = std::to_array<Row<NamespaceType>>({
    {"cgroup", NamespaceType::cgroup},
    {"ipc", NamespaceType::ipc},
    {"mount", NamespaceType::mount},
    {"network", NamespaceType::network},
    {"pid", NamespaceType::pid},
    {"uts", NamespaceType::uts},
    {"user", NamespaceType::user},
    {"time", NamespaceType::time},
});

constexpr auto kActions = std::to_array<Row<SeccompAction>>({
    {"SCMP_ACT_ALLOW", SeccompAction::allow},
    {"SCMP_ACT_ERRNO", SeccompAction::error},
    {"SCMP_ACT_KILL", SeccompAction::kill_thread},
    {"SCMP_ACT_KILL_PROCESS", SeccompAction::kill_process},
    {"SCMP_ACT_KILL_THREAD", SeccompAction::kill_thread},
    {"SCMP_ACT_LOG", SeccompAction::log},
    {"SCMP_ACT_NOTIFY", SeccompAction::notify},
    {"SCMP_ACT_TRACE", SeccompAction::trace},
    {"SCMP_ACT_TRAP", SeccompAction::trap},
});

constexpr auto kOps = std::to_array<Row<SeccompOp>>({
    {"SCMP_CMP_EQ", SeccompOp::eq},
    {"SCMP_CMP_GE", SeccompOp::ge},
    {"SCMP_CMP_GT", SeccompOp::gt},
    {"SCMP_CMP_LE", SeccompOp::le},
    {"SCMP_CMP_LT", SeccompOp::lt},
    {"SCMP_CMP_MASKED_EQ", SeccompOp::masked_eq},
    {"SCMP_CMP_NE", SeccompOp::ne},
});

}  // namespace

uint64_t cap_mask(const CapList& list) {
    uint64_t mask = 0;
    for (const uint8_t number : list)
        mask |= uint64_t{1} << number;
    return mask;
}

std::optional<uint8_t> capability_number(std::string_view name) {
    const auto it = std::ranges::find(kCapabilities, name);
    if (it == kCapabilities.end())
        return std::nullopt;
    return static_cast<uint8_t>(it - kCapabilities.begin());
}

std::string_view capability_name(uint8_t number) {
    return number < kCapabilities.size() ? kCapabilities.at(number) : std::string_view();
}

NameList capability_names() {
    return {kCapabilities.begin(), kCapabilities.end()};
}

std::optional<int> rlimit_number(std::string_view name) {
    return find_value(kRlimits, name);
}
std::string_view rlimit_name(int resource) {
    return find_name(kRlimits, resource);
}

std::optional<NamespaceType> namespace_type(std::string_view name) {
    return find_value(kNamespaces, name);
}
std::string_view namespace_name(NamespaceType type) {
    return find_name(kNamespaces, type);
}
NameList namespace_names() {
    return all_names(kNamespaces);
}

std::optional<SeccompAction> seccomp_action(std::string_view name) {
    return find_value(kActions, name);
}
std::string_view seccomp_action_name(SeccompAction action) {
    return find_name(kActions, action);
}
NameList seccomp_action_names() {
    return all_names(kActions);
}

std::optional<SeccompOp> seccomp_op(std::string_view name) {
    return find_value(kOps, name);
}
std::string_view seccomp_op_name(SeccompOp op) {
    return find_name(kOps, op);
}
NameList seccomp_op_names() {
    return all_names(kOps);
}

NameList seccomp_arch_names() {
    return {"SCMP_ARCH_AARCH64",     "SCMP_ARCH_ARM",    "SCMP_ARCH_LOONGARCH64",
            "SCMP_ARCH_M68K",        "SCMP_ARCH_MIPS",   "SCMP_ARCH_MIPS64",
            "SCMP_ARCH_MIPS64N32",   "SCMP_ARCH_MIPSEL", "SCMP_ARCH_MIPSEL64",
            "SCMP_ARCH_MIPSEL64N32", "SCMP_ARCH_PARISC", "SCMP_ARCH_PARISC64",
            "SCMP_ARCH_PPC",         "SCMP_ARCH_PPC64",  "SCMP_ARCH_PPC64LE",
            "SCMP_ARCH_RISCV64",     "SCMP_ARCH_S390",   "SCMP_ARCH_S390X",
            "SCMP_ARCH_SH",          "SCMP_ARCH_SHEB",   "SCMP_ARCH_X32",
            "SCMP_ARCH_X86",         "SCMP_ARCH_X86_64"};
}

NameList seccomp_flag_names() {
    return {"SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_SPEC_ALLOW",
            "SECCOMP_FILTER_FLAG_TSYNC", "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"};
}

}  // namespace hardrun::config
