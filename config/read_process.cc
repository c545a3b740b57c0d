// SPDX-License-Identifier: Apache-2.0
// config.md, "Process".
#include "config/checks.h"
#include "config/names.h"
#include "config/readers.h"

namespace hardrun::config {
namespace {

Status screen_size(const At& at, const uint32_t& cells) {
    if (cells > UINT16_MAX)  // struct winsize
        return at.expected("a number from 0 to 65535");
    return {};
}

constexpr Field<ConsoleSize> kConsoleSize[] = {
    {"height", Need::required, checked<&ConsoleSize::height, screen_size>},
    {"width", Need::required, checked<&ConsoleSize::width, screen_size>},
};

Status read_console_size(const At& at, ConsoleSize& out, Notes& notes) {
    return read_fields<ConsoleSize>(at, kConsoleSize, out, notes);
}

Status umask_bits(const At& at, const std::optional<uint32_t>& umask) {
    if (umask && *umask > 0777)
        return at.expected("a number from 0 to 511 (octal 0777)");
    return {};
}

Status read_groups(const At& at, User& out, Notes& notes) {
    constexpr size_t kMostGroups = 65536;  // NGROUPS_MAX
    const json::Value::Array* items = at.value.as_array();
    if (items == nullptr)
        return at.expected("an array");
    if (items->size() > kMostGroups)
        return at.wrong("more than 65536 groups");
    HARDRUN_CHECK(read(at, out.additional_gids, notes));
    for (size_t i = 0; i < items->size(); ++i)
        HARDRUN_CHECK(user_or_group_id(at.element(i, (*items)[i]), out.additional_gids[i]));
    return {};
}

constexpr Field<User> kUser[] = {
    {"uid", Need::required, checked<&User::uid, user_or_group_id>},
    {"gid", Need::required, checked<&User::gid, user_or_group_id>},
    {"umask", Need::optional, checked<&User::umask, umask_bits>},
    {"additionalGids", Need::optional, read_groups},
};

Status read_user(const At& at, Process& out, Notes& notes) {
    return read_fields<User>(at, kUser, out.user, notes);
}

Status read_rlimit_type(const At& at, Rlimit& out, Notes& notes) {
    std::string name;
    HARDRUN_CHECK(read(at, name, notes));
    const auto number = rlimit_number(name);
    if (!number)
        return at.expected("the name of a resource limit");
    out.resource = *number;
    return {};
}

constexpr Field<Rlimit> kRlimit[] = {
    {"type", Need::required, read_rlimit_type},
    {"soft", Need::required, member<&Rlimit::soft>},
    {"hard", Need::required, member<&Rlimit::hard>},
};

Status read_rlimit(const At& at, Rlimit& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<Rlimit>(at, kRlimit, out, notes));
    if (out.soft > out.hard)
        return at.wrong("the soft limit is above the hard limit");
    return {};
}

// The specification: duplicates MUST be an error. Which of the two counts would be a guess.
Status read_rlimits(const At& at, Process& out, Notes& notes) {
    HARDRUN_CHECK(read_each(at, out.rlimits, notes, read_rlimit));
    const json::Value::Array& items = *at.value.as_array();
    for (size_t i = 0; i < items.size(); ++i)
        for (size_t earlier = 0; earlier < i; ++earlier)
            if (out.rlimits[earlier].resource == out.rlimits[i].resource)
                return at.element(i, items[i])
                    .wrong(std::string(rlimit_name(out.rlimits[i].resource)) + " is there twice");
    return {};
}

template <CapList Capabilities::*Set>
Status read_capability_set(const At& at, Capabilities& out, Notes& notes) {
    std::vector<std::string> names;
    HARDRUN_CHECK(read(at, names, notes));
    const json::Value::Array& items = *at.value.as_array();
    for (size_t i = 0; i < names.size(); ++i) {
        if (const auto number = capability_number(names[i]))
            (out.*Set).push_back(*number);
        else
            at.element(i, items[i])
                .note(notes, "unknown capability " + items[i].describe() + ", ignored");
    }
    return {};
}

constexpr Field<Capabilities> kCapabilities[] = {
    {"bounding", Need::optional, read_capability_set<&Capabilities::bounding>},
    {"effective", Need::optional, read_capability_set<&Capabilities::effective>},
    {"inheritable", Need::optional, read_capability_set<&Capabilities::inheritable>},
    {"permitted", Need::optional, read_capability_set<&Capabilities::permitted>},
    {"ambient", Need::optional, read_capability_set<&Capabilities::ambient>},
};

// The kernel raises an ambient capability only where it is permitted and inheritable as well.
void drop_idle_ambient(const At& at, Capabilities& out, Notes& notes) {
    std::erase_if(out.ambient, [&](const auto cap) {
        const bool possible = std::ranges::find(out.permitted, cap) != out.permitted.end() &&
                              std::ranges::find(out.inheritable, cap) != out.inheritable.end();
        if (!possible)
            at.member("ambient", at.value)
                .note(notes, std::string(capability_name(cap)) +
                                 " is not both permitted and inheritable, ignored");
        return !possible;
    });
}

Status read_capabilities(const At& at, Capabilities& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<Capabilities>(at, kCapabilities, out, notes));
    drop_idle_ambient(at, out, notes);
    return {};
}

// "" is how engines written in Go say "none".
template <std::optional<std::string> Process::*Label>
Status read_label(const At& at, Process& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.*Label, notes));
    if ((out.*Label)->empty())
        (out.*Label).reset();
    return {};
}

Status read_args(const At& at, Process& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.args, notes));
    if (out.args.empty() || out.args.front().empty())
        return at.wrong("names no program");
    return {};
}

Status oom_score(const At& at, const std::optional<int>& score) {
    if (score && (*score < -1000 || *score > 1000))
        return at.expected("a number from -1000 to 1000");
    return {};
}

constexpr Field<Process> kProcess[] = {
    {"terminal", Need::optional, member<&Process::terminal>},
    {"consoleSize", Need::optional, nested<&Process::console_size, read_console_size>},
    {"cwd", Need::required, checked<&Process::cwd, absolute_path>},
    {"env", Need::optional, checked_list<&Process::env, env_entry>},
    {"args", Need::required, read_args},
    {"rlimits", Need::optional, read_rlimits},
    {"apparmorProfile", Need::optional, read_label<&Process::apparmor_profile>},
    {"selinuxLabel", Need::optional, read_label<&Process::selinux_label>},
    {"capabilities", Need::optional, nested<&Process::capabilities, read_capabilities>},
    {"noNewPrivileges", Need::optional, member<&Process::no_new_privileges>},
    {"oomScoreAdj", Need::optional, checked<&Process::oom_score_adj, oom_score>},
    {"user", Need::optional, read_user},
    {"scheduler", Need::not_supported, nullptr},
    {"ioPriority", Need::not_supported, nullptr},
    {"execCPUAffinity", Need::not_supported, nullptr},
};

}  // namespace

Status read(const At& at, Process& out, Notes& notes) {
    return read_fields<Process>(at, kProcess, out, notes);
}

}  // namespace hardrun::config
