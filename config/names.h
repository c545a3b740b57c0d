// SPDX-License-Identifier: Apache-2.0
// Names of the specification and of the kernel, both ways. The lists feed the `features` command,
// so what it says cannot differ from what the readers accept.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/spec.h"

namespace hardrun::config {

using NameList = std::vector<std::string_view>;

// "CAP_CHOWN" -> 0. Exact: no other case, no missing prefix.
std::optional<uint8_t> capability_number(std::string_view name);
std::string_view capability_name(uint8_t number);  // empty above the last known one
NameList capability_names();

std::optional<int> rlimit_number(std::string_view name);  // "RLIMIT_NOFILE"
std::string_view rlimit_name(int resource);

// "9", "KILL", "sigkill", "SIGRTMIN+3", "RTMAX-1"; numbers 0 to 64.
std::optional<int> signal_number(std::string_view text);
std::string_view signal_name(int signal);  // "SIGKILL"; empty for real-time signals

std::optional<NamespaceType> namespace_type(std::string_view name);
std::string_view namespace_name(NamespaceType type);
NameList namespace_names();

std::optional<SeccompAction> seccomp_action(std::string_view name);
std::string_view seccomp_action_name(SeccompAction action);
NameList seccomp_action_names();
std::optional<SeccompOp> seccomp_op(std::string_view name);
std::string_view seccomp_op_name(SeccompOp op);
NameList seccomp_op_names();
NameList seccomp_arch_names();
NameList seccomp_flag_names();

}  // namespace hardrun::config
