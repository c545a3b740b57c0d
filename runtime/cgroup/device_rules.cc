// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/device_rules.h"

#include <map>
#include <tuple>

#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

using config::DeviceRule;

constexpr unsigned kRead = 1;
constexpr unsigned kWrite = 2;
constexpr unsigned kMknod = 4;
constexpr unsigned kAll = kRead | kWrite | kMknod;
constexpr int64_t kAny = -1;

unsigned access_of(const DeviceRule& rule) {
    return (rule.read ? kRead : 0) | (rule.write ? kWrite : 0) | (rule.mknod ? kMknod : 0);
}

DeviceRule allow(char type, std::optional<uint32_t> major, std::optional<uint32_t> minor,
                 unsigned access) {
    return {true,
            type,
            major,
            minor,
            (access & kRead) != 0,
            (access & kWrite) != 0,
            (access & kMknod) != 0};
}

// A set of devices, as the kernel names it.
struct Key {
    char type = 'c';
    int64_t major = kAny;
    int64_t minor = kAny;
    bool operator<(const Key& other) const {
        return std::tie(type, major, minor) < std::tie(other.type, other.major, other.minor);
    }

    bool covers(const Key& other) const {
        return type == other.type && (major == kAny || major == other.major) &&
               (minor == kAny || minor == other.minor);
    }
    bool meets(const Key& other) const {
        const auto same = [](int64_t a, int64_t b) { return a == kAny || b == kAny || a == b; };
        return type == other.type && same(major, other.major) && same(minor, other.minor);
    }
};

// The v1 devices hierarchy: one answer for all devices, and the exceptions from it.
struct V1Devices {
    bool allow_by_default = false;
    std::map<Key, unsigned> exceptions;
};

std::string number_text(int64_t number) {
    return number == kAny ? "*" : std::to_string(number);
}

std::string line_text(const Key& key, unsigned access) {
    std::string out{key.type, ' '};
    out += number_text(key.major) + ":" + number_text(key.minor) + " ";
    out += (access & kRead) != 0 ? "r" : "";
    out += (access & kWrite) != 0 ? "w" : "";
    out += (access & kMknod) != 0 ? "m" : "";
    return out;
}

// Takes back what the rule covers. An exception that is only partly covered cannot lose a part.
Status take_back(V1Devices& devices, const Key& key, unsigned access) {
    for (auto& [known, bits] : devices.exceptions) {
        if (key.covers(known))
            bits &= ~access;
        else if (key.meets(known) && (bits & access) != 0)
            return Error(Errc::unsupported,
                         "linux.resources.devices: rule '" + line_text(key, access) +
                             "' lies inside of the earlier '" + line_text(known, bits) +
                             "', which cgroup v1 cannot express; list the devices one by one");
    }
    std::erase_if(devices.exceptions, [](const auto& entry) { return entry.second == 0; });
    return {};
}

Status add_rule(V1Devices& devices, const DeviceRule& rule) {
    const unsigned access = access_of(rule);
    if (rule.type == 'a' && access == kAll && !rule.major && !rule.minor) {
        devices = {rule.allow, {}};
        return {};
    }
    for (const char type : {'c', 'b'}) {
        if (rule.type != 'a' && rule.type != type)
            continue;
        const Key key{type, rule.major ? int64_t{*rule.major} : kAny,
                      rule.minor ? int64_t{*rule.minor} : kAny};
        if (rule.allow == devices.allow_by_default)
            HARDRUN_CHECK(take_back(devices, key, access));
        else if (access != 0)
            devices.exceptions[key] |= access;
    }
    return {};
}

// The kernel looks for one exception that has all of an access: reading by a wider exception and
// writing by a narrower one do not add up to both, unless the narrower one says both.
void add_up(V1Devices& devices) {
    if (devices.allow_by_default)
        return;  // there any one exception that meets the access denies it
    for (auto& [key, bits] : devices.exceptions)
        for (const auto& [wider, more] : devices.exceptions)
            if (wider.covers(key))
                bits |= more;
}

int64_t parse_number(std::string_view text) {
    const auto number = parse_decimal(text, UINT32_MAX);
    return number ? static_cast<int64_t>(*number) : kAny;
}

// "c 1:3 rwm" a line; "a *:* rwm" is the whole list of a group that allows all.
V1Devices parse_list(std::string_view text) {
    V1Devices devices;
    for (const std::string_view line : split(text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() != 3 || words[0].empty())
            continue;
        if (words[0] == "a") {
            devices.allow_by_default = true;
            continue;
        }
        const size_t colon = words[1].find(':');
        unsigned access = 0;
        for (const char c : words[2])
            access |= c == 'r' ? kRead : c == 'w' ? kWrite : c == 'm' ? kMknod : 0;
        devices.exceptions[{words[0][0], parse_number(words[1].substr(0, colon)),
                            parse_number(words[1].substr(colon + 1))}] |= access;
    }
    return devices;
}

unsigned bits_of(const std::map<Key, unsigned>& exceptions, const Key& key) {
    const auto found = exceptions.find(key);
    return found == exceptions.end() ? 0 : found->second;
}

void write_difference(std::vector<Write>& out, const std::string& file,
                      const std::map<Key, unsigned>& wanted, const std::map<Key, unsigned>& have) {
    for (const auto& [key, access] : wanted)
        if (const unsigned bits = access & ~bits_of(have, key); bits != 0)
            out.push_back({"devices", file, line_text(key, bits), "linux.resources.devices"});
}

}  // namespace

std::vector<DeviceRule> with_default_devices(const std::vector<DeviceRule>& rules) {
    std::vector<DeviceRule> all = rules;
    all.push_back(allow('c', {}, {}, kMknod));
    all.push_back(allow('b', {}, {}, kMknod));
    for (const uint32_t minor : {3U, 5U, 7U, 8U, 9U})  // null, zero, full, random, urandom
        all.push_back(allow('c', 1, minor, kAll));
    all.push_back(allow('c', 5, 0, kAll));     // tty
    all.push_back(allow('c', 5, 2, kAll));     // ptmx
    all.push_back(allow('c', 136, {}, kAll));  // pts/N
    all.push_back(allow('c', 10, 200, kAll));  // net/tun
    return all;
}

Result<std::vector<Write>> device_writes_v1(const std::vector<DeviceRule>& rules,
                                            std::string_view devices_list) {
    V1Devices wanted;
    for (const DeviceRule& rule : rules)
        HARDRUN_CHECK(add_rule(wanted, rule));
    add_up(wanted);
    V1Devices have = parse_list(devices_list);
    std::vector<Write> out;
    // A list that allows all does not show its exceptions, so that is always written anew.
    if (devices_list.empty() || have.allow_by_default || wanted.allow_by_default) {
        out.push_back({"devices", wanted.allow_by_default ? "devices.allow" : "devices.deny", "a",
                       "linux.resources.devices"});
        have.exceptions.clear();
    }
    const std::string add = wanted.allow_by_default ? "devices.deny" : "devices.allow";
    const std::string drop = wanted.allow_by_default ? "devices.allow" : "devices.deny";
    write_difference(out, add, wanted.exceptions, have.exceptions);
    write_difference(out, drop, have.exceptions, wanted.exceptions);
    return out;
}

}  // namespace hardrun::cgroup
