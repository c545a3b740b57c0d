// SPDX-License-Identifier: Apache-2.0
#include <linux/sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "runtime/base/text.h"
#include "runtime/plan/parts.h"

namespace hardrun::plan {
namespace {

struct DefaultDevice {
    std::string_view path;
    uint32_t major;
    uint32_t minor;
};

// config-linux.md, "Default Devices".
constexpr auto kDefaults = std::to_array<DefaultDevice>({
    {"dev/null", 1, 3},
    {"dev/zero", 1, 5},
    {"dev/full", 1, 7},
    {"dev/random", 1, 8},
    {"dev/urandom", 1, 9},
    {"dev/tty", 5, 0},
});

uint32_t format_bits(char type) {
    switch (type) {
        case 'b':
            return S_IFBLK;
        case 'p':
            return S_IFIFO;
        default:
            return S_IFCHR;
    }
}

void put(std::vector<Device>& devices, Device device) {
    const auto same = std::ranges::find(devices, device.path, &Device::path);
    if (same != devices.end())
        *same = std::move(device);
    else
        devices.push_back(std::move(device));
}

}  // namespace

bool fills_dev(const config::Spec& spec) {
    return std::ranges::none_of(spec.mounts, [](const config::Mount& m) {
        return below_root(m.destination) == "dev" && (m.options.bind || m.type == "bind");
    });
}

std::vector<Device> plan_devices(const config::Linux& linux) {
    // New or joined: neither may make nodes.
    const bool bind = std::ranges::any_of(linux.namespaces, [](const config::Namespace& ns) {
        return ns.type == config::NamespaceType::user;
    });
    std::vector<Device> out;
    out.reserve(kDefaults.size() + linux.devices.size());
    for (const DefaultDevice& d : kDefaults)
        out.push_back({.json_path = "default devices",
                       .path = std::string(d.path),
                       .mode = S_IFCHR | 0666,
                       .major = d.major,
                       .minor = d.minor,
                       .bind = bind});
    for (size_t i = 0; i < linux.devices.size(); ++i) {
        const config::Device& d = linux.devices[i];
        put(out, {.json_path = "linux.devices[" + std::to_string(i) + "]",
                  .path = below_root(d.path),
                  .mode = format_bits(d.type) | (d.file_mode.value_or(0666) & 07777U),
                  .major = d.major,
                  .minor = d.minor,
                  .uid = d.uid.value_or(0),
                  .gid = d.gid.value_or(0),
                  .bind = bind && d.type != 'p'});
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> plan_links(const KernelFacts& facts) {
    std::vector<std::pair<std::string, std::string>> out = {
        {"dev/fd", "/proc/self/fd"},       {"dev/stdin", "/proc/self/fd/0"},
        {"dev/stdout", "/proc/self/fd/1"}, {"dev/stderr", "/proc/self/fd/2"},
        {"dev/ptmx", "pts/ptmx"},
    };
    if (facts.kcore)
        out.emplace_back("dev/core", "/proc/kcore");
    return out;
}

// sysctl(8): where a '/' comes first it separates, and dots belong to the names
// (net/ipv4/conf/eth0.1).
std::vector<Sysctl> plan_sysctls(const config::Linux& linux) {
    std::vector<Sysctl> out;
    for (const auto& [name, value] : linux.sysctl) {
        std::string path = name;
        const size_t first = name.find_first_of("./");
        if (first != std::string::npos && name[first] == '.')
            for (char& c : path)
                c = c == '.' ? '/' : c == '/' ? '.' : c;
        const bool network = path.starts_with("net/");
        out.push_back({name, std::move(path), value, network});
    }
    return out;
}

}  // namespace hardrun::plan
