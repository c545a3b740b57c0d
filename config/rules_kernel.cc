// SPDX-License-Identifier: Apache-2.0
// Rules about what of the kernel is shared: namespaces, network, devices, sysctls.
#include <algorithm>
#include <array>

#include "config/hardening.h"
#include "config/names.h"

namespace hardrun::config {
namespace {

struct Node {
    char type;
    uint32_t major;
    std::optional<uint32_t> minor;
};

// config-linux.md, "Default Devices", with the console, the pty multiplexer and the ptys.
constexpr auto kDefaultNodes = std::to_array<Node>({{'c', 1, 3},
                                                    {'c', 1, 5},
                                                    {'c', 1, 7},
                                                    {'c', 1, 8},
                                                    {'c', 1, 9},
                                                    {'c', 5, 0},
                                                    {'c', 5, 1},
                                                    {'c', 5, 2},
                                                    {'c', 136, std::nullopt}});

bool is_default(char type, std::optional<uint32_t> major, std::optional<uint32_t> minor) {
    return std::ranges::any_of(kDefaultNodes, [&](const Node& node) {
        return node.type == type && major == node.major && (!node.minor || minor == node.minor);
    });
}

std::string number(std::optional<uint32_t> value) {
    return value ? std::to_string(*value) : "*";
}

// docker, podman and containerd's CRI set these in every container.
struct EngineSysctl {
    std::string_view name;
    std::string_view value;
};
constexpr auto kEngineSysctls = std::to_array<EngineSysctl>({
    {"net/ipv4/ip_unprivileged_port_start", "0"},
    {"net/ipv4/ping_group_range", "0 2147483647"},
    {"net/ipv4/ping_group_range", "0 0"},
});

bool sets_by_default(std::string_view name, std::string_view value) {
    return std::ranges::any_of(kEngineSysctls, [&](const EngineSysctl& row) {
        return row.name == name && row.value == value;
    });
}

std::string describe(const DeviceRule& rule) {
    if (rule.type == 'a')
        return "every device";
    std::string out{rule.type, ' '};
    return out.append(number(rule.major)).append(":").append(number(rule.minor));
}

// The first few, and how many more.
std::string some_of(const std::vector<std::string>& names) {
    constexpr size_t kShown = 3;
    std::string out;
    for (size_t i = 0; i < std::min(kShown, names.size()); ++i)
        out.append(i == 0 ? "" : ", ").append(names[i]);
    if (names.size() > kShown)
        out += " and " + std::to_string(names.size() - kShown) + " more";
    return out;
}

}  // namespace

// A namespace that config.json does not list is the host's, and so is one whose path leads to it.
void rule_host_namespaces(Hardening& h) {
    constexpr NamespaceType kKinds[] = {NamespaceType::pid,   NamespaceType::network,
                                        NamespaceType::ipc,   NamespaceType::uts,
                                        NamespaceType::mount, NamespaceType::time};
    auto& listed = h.spec().linux.namespaces;
    for (const NamespaceType kind : kKinds) {
        const auto it = std::ranges::find(listed, kind, &Namespace::type);
        const bool absent = it == listed.end();
        if (absent ? kind == NamespaceType::time : !h.bundle().host_namespaces.contains(it->path))
            continue;
        const std::string name(namespace_name(kind));
        const std::string where =
            absent ? "linux.namespaces"
                   : "linux.namespaces[" + std::to_string(it - listed.begin()) + "].path";
        h.refuse_or_note(where, "the host's " + name + " namespace is shared",
                         "leave out --" + name + "=host");
    }
    if (h.refuses() &&
        std::ranges::find(listed, NamespaceType::cgroup, &Namespace::type) == listed.end()) {
        listed.push_back({.type = NamespaceType::cgroup, .path = {}});
        h.note("a cgroup namespace was added");
    }
}

void rule_network(Hardening& h) {
    h.use_cell();
    h.note("the program runs in a network cell: loopback only");
}

void rule_devices(Hardening& h) {
    const Linux& linux = h.spec().linux;
    std::vector<std::string> nodes;
    for (const Device& d : linux.devices)
        if (d.type != 'p' && !is_default(d.type, d.major, d.minor))
            nodes.push_back(d.path);
    if (!nodes.empty())
        h.refuse_or_note("linux.devices", some_of(nodes) + ": beyond the default devices",
                         "leave out --device");
    std::vector<std::string> rules;
    for (const DeviceRule& r : linux.resources.devices) {
        // The right to make a node alone opens none, and without CAP_MKNOD makes none.
        if (!r.allow || (!r.read && !r.write) || is_default(r.type, r.major, r.minor))
            continue;
        rules.push_back(describe(r));
    }
    if (!rules.empty())
        h.refuse_or_note("linux.resources.devices", some_of(rules) + ": beyond the default devices",
                         "leave out --device");
}

void rule_sysctls(Hardening& h) {
    for (const auto& [name, value] : h.spec().linux.sysctl) {
        if (sets_by_default(name, value))
            continue;
        std::string what = name;
        what.append(" is set to ").append(value).append(", which no engine does by itself");
        h.refuse("linux.sysctl", std::move(what), "leave out --sysctl");
    }
}

}  // namespace hardrun::config
