// SPDX-License-Identifier: Apache-2.0
// The device rules for systemd, which knows an allow-list only. The exact rules are set besides, so
// what cannot be said is said wider, never narrower.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/cgroup/device_rules.h"
#include "runtime/cgroup/translate_systemd.h"

namespace hardrun::cgroup {
namespace {

using config::DeviceRule;

bool is_everything(const DeviceRule& rule) {
    return rule.type == 'a' && !rule.major && !rule.minor;
}

std::string access_text(const DeviceRule& rule) {
    return std::string(rule.read ? "r" : "") + (rule.write ? "w" : "") + (rule.mknod ? "m" : "");
}

// systemd names single devices by path, and all of one driver by its name in /proc/devices.
std::string device_name(const DeviceRule& rule, char type, const DeviceGroups& groups) {
    const std::string kind = type == 'b' ? "block" : "char";
    if (rule.major && rule.minor)
        return "/dev/" + kind + "/" + std::to_string(*rule.major) + ":" +
               std::to_string(*rule.minor);
    if (rule.major) {
        const auto group = groups.find(type + std::to_string(*rule.major));
        if (group != groups.end())
            return kind + "-" + group->second;
    }
    return kind + "-*";
}

}  // namespace

DeviceGroups parse_device_groups(std::string_view proc_devices) {
    DeviceGroups groups;
    char type = 'c';
    for (const std::string_view line : split(proc_devices, '\n')) {
        if (line.starts_with("Block"))
            type = 'b';
        const std::string_view entry = trim(line);
        const size_t space = entry.find(' ');
        if (space == std::string_view::npos || !parse_decimal(entry.substr(0, space)))
            continue;
        groups.emplace(type + std::string(entry.substr(0, space)), entry.substr(space + 1));
    }
    return groups;
}

std::vector<UnitProperty> device_properties(const std::vector<DeviceRule>& rules,
                                            const DeviceGroups& groups) {
    // What stands before a rule about all devices is void.
    const auto last = std::ranges::find_if(rules.rbegin(), rules.rend(), is_everything);
    if (last != rules.rend() && last->allow)
        return {{"DevicePolicy", "s", {"auto"}}, {"DeviceAllow", "a(ss)", {}}};
    UnitProperty allow{"DeviceAllow", "a(ss)", {}};
    for (auto rule = last.base(); rule != rules.end(); ++rule) {
        if (!rule->allow || access_text(*rule).empty())
            continue;
        for (const char type : {'c', 'b'}) {
            if (rule->type != 'a' && rule->type != type)
                continue;
            allow.values.push_back(device_name(*rule, type, groups));
            allow.values.push_back(access_text(*rule));
        }
    }
    // Setting the list adds to it; setting it empty first makes it anew.
    return {{"DevicePolicy", "s", {"strict"}}, {"DeviceAllow", "a(ss)", {}}, std::move(allow)};
}

}  // namespace hardrun::cgroup
