// SPDX-License-Identifier: Apache-2.0
// config-linux.md, "Seccomp". A filter that is read with a doubt is a filter that protects nobody:
// everything but the names of system calls must be known.
#include "config/checks.h"
#include "config/names.h"
#include "config/readers.h"

namespace hardrun::config {
namespace {

template <auto Member, auto Lookup, class T>
Status named(const At& at, T& out, Notes& notes) {
    std::string name;
    HARDRUN_CHECK(read(at, name, notes));
    const auto value = Lookup(name);
    if (!value)
        return at.wrong("unknown value " + at.value.describe());
    out.*Member = *value;
    return {};
}

template <std::vector<std::string> Seccomp::*List, NameList (*Known)()>
Status known_names(const At& at, Seccomp& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.*List, notes));
    const NameList known = Known();
    const json::Value::Array& items = *at.value.as_array();
    for (size_t i = 0; i < items.size(); ++i)
        if (std::ranges::find(known, (out.*List)[i]) == known.end())
            return at.element(i, items[i]).wrong("unknown value " + items[i].describe());
    return {};
}

Status argument_index(const At& at, const uint32_t& index) {
    return index <= 5 ? Status() : at.expected("a number from 0 to 5");
}

constexpr Field<SeccompArg> kArg[] = {
    {"index", Need::required, checked<&SeccompArg::index, argument_index>},
    {"value", Need::required, member<&SeccompArg::value>},
    {"valueTwo", Need::optional, member<&SeccompArg::value_two>},
    {"op", Need::required, named<&SeccompArg::op, seccomp_op>},
};

Status read_arg(const At& at, SeccompArg& out, Notes& notes) {
    return read_fields<SeccompArg>(at, kArg, out, notes);
}

Status read_names(const At& at, SeccompRule& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.names, notes));
    const json::Value::Array& items = *at.value.as_array();
    if (items.empty())
        return at.wrong("must not be empty");
    for (size_t i = 0; i < items.size(); ++i)
        HARDRUN_CHECK(not_empty(at.element(i, items[i]), out.names[i]));
    return {};
}

constexpr Field<SeccompRule> kRule[] = {
    {"names", Need::required, read_names},
    {"action", Need::required, named<&SeccompRule::action, seccomp_action>},
    {"errnoRet", Need::optional, member<&SeccompRule::errno_ret>},
    {"args", Need::optional, list_of<&SeccompRule::args, read_arg>},
};

// The number goes with two actions only; with another one the writer meant something else.
Status errno_fits(const At& at, std::string_view key, SeccompAction action,
                  const std::optional<uint32_t>& number) {
    if (!number)
        return {};
    const At here = at.member(key, *at.value.find(key));
    if (action != SeccompAction::error && action != SeccompAction::trace)
        return here.wrong("goes only with SCMP_ACT_ERRNO and SCMP_ACT_TRACE");
    const uint32_t most = action == SeccompAction::error ? 4095 : UINT16_MAX;  // MAX_ERRNO
    if (*number > most)
        return here.expected("a number from 0 to " + std::to_string(most));
    return {};
}

Status read_rule(const At& at, SeccompRule& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<SeccompRule>(at, kRule, out, notes));
    return errno_fits(at, "errnoRet", out.action, out.errno_ret);
}

constexpr Field<Seccomp> kSeccomp[] = {
    {"defaultAction", Need::required, named<&Seccomp::default_action, seccomp_action>},
    {"defaultErrnoRet", Need::optional, member<&Seccomp::default_errno_ret>},
    {"architectures", Need::optional, known_names<&Seccomp::architectures, seccomp_arch_names>},
    {"flags", Need::optional, known_names<&Seccomp::flags, seccomp_flag_names>},
    {"listenerPath", Need::optional, member<&Seccomp::listener_path>},
    {"listenerMetadata", Need::optional, member<&Seccomp::listener_metadata>},
    {"syscalls", Need::optional, list_of<&Seccomp::syscalls, read_rule>},
};

bool notifies(const Seccomp& seccomp) {
    const auto by_rule = [](const SeccompRule& rule) {
        return rule.action == SeccompAction::notify;
    };
    return seccomp.default_action == SeccompAction::notify ||
           std::ranges::any_of(seccomp.syscalls, by_rule);
}

}  // namespace

Status read(const At& at, Seccomp& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<Seccomp>(at, kSeccomp, out, notes));
    HARDRUN_CHECK(errno_fits(at, "defaultErrnoRet", out.default_action, out.default_errno_ret));
    if (!notifies(out))
        return {};
    if (out.listener_path.empty())
        return at.wrong("SCMP_ACT_NOTIFY needs a listenerPath");
    return at.member("listenerPath", *at.value.find("listenerPath")).not_supported();
}

}  // namespace hardrun::config
