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

// Entries in the order of their first rule; one each, for systemd keeps only the last of a name.
class AllowList {
  public:
    void add(const std::string& name, const DeviceRule& rule) {
        auto entry = std::ranges::find(entries_, name, &Entry::name);
        if (entry == entries_.end())
            entry = entries_.insert(entry, Entry{name, false, false, false});
        entry->read = entry->read || rule.read;
        entry->write = entry->write || rule.write;
        entry->mknod = entry->mknod || rule.mknod;
    }

    UnitProperty property() const {
        UnitProperty out{"DeviceAllow", "a(ss)", {}};
        for (const Entry& e : entries_) {
            const std::string access =
                std::string(e.read ? "r" : "") + (e.write ? "w" : "") + (e.mknod ? "m" : "");
            if (access.empty())
                continue;
            out.values.push_back(e.name);
            out.values.push_back(access);
        }
        return out;
    }

  private:
    struct Entry {
        std::string name;
        bool read = false;
        bool write = false;
        bool mknod = false;
    };
    std::vector<Entry> entries_;
};

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
    // What stands before a rule about all devices is void; that rule itself, where it allows, is
    // said by two entries. (By the policy "auto" a running unit would keep its former filter.)
    const auto last = std::ranges::find_if(rules.rbegin(), rules.rend(), is_everything);
    AllowList allowed;
    for (auto rule = last == rules.rend() ? rules.begin() : last.base() - 1; rule != rules.end();
         ++rule) {
        if (!rule->allow)
            continue;
        for (const char type : {'c', 'b'})
            if (rule->type == 'a' || rule->type == type)
                allowed.add(device_name(*rule, type, groups), *rule);
    }
    // Setting the list adds to it; setting it empty first makes it anew.
    return {{"DevicePolicy", "s", {"strict"}}, {"DeviceAllow", "a(ss)", {}}, allowed.property()};
}

}  // namespace hardrun::cgroup
