// SPDX-License-Identifier: Apache-2.0
// config-linux.md, "Control groups", without blockIO.
#include "config/checks.h"
#include "config/readers.h"

namespace hardrun::config {
namespace {

// ---- devices ------------------------------------------------------------------------------------

Status read_rule_type(const At& at, DeviceRule& out, Notes& notes) {
    std::string type;
    HARDRUN_CHECK(read(at, type, notes));
    if (!type.empty() && type != "a" && type != "c" && type != "b")
        return at.expected("a, c or b");
    out.type = type.empty() ? 'a' : type.front();
    return {};
}

template <std::optional<uint32_t> DeviceRule::*Number>
Status read_device_number(const At& at, DeviceRule& out, Notes&) {
    int64_t number = -1;
    HARDRUN_CHECK(read_signed(at, -1, UINT32_MAX, number));
    if (number >= 0)
        out.*Number = static_cast<uint32_t>(number);
    return {};
}

Status read_access(const At& at, DeviceRule& out, Notes& notes) {
    std::string access;
    HARDRUN_CHECK(read(at, access, notes));
    if (access.find_first_not_of("rwm") != std::string::npos)
        return at.expected("letters of \"rwm\"");
    if (access.empty())  // as absent: all
        return {};
    out.read = access.find('r') != std::string::npos;
    out.write = access.find('w') != std::string::npos;
    out.mknod = access.find('m') != std::string::npos;
    return {};
}

constexpr Field<DeviceRule> kDeviceRule[] = {
    {"allow", Need::required, member<&DeviceRule::allow>},
    {"type", Need::optional, read_rule_type},
    {"major", Need::optional, read_device_number<&DeviceRule::major>},
    {"minor", Need::optional, read_device_number<&DeviceRule::minor>},
    {"access", Need::optional, read_access},
};

Status read_device_rule(const At& at, DeviceRule& out, Notes& notes) {
    return read_fields<DeviceRule>(at, kDeviceRule, out, notes);
}

// ---- memory, cpu, pids --------------------------------------------------------------------------

Status percent(const At& at, const std::optional<uint64_t>& value) {
    if (value && *value > 100)
        return at.expected("a number from 0 to 100");
    return {};
}

constexpr Field<Memory> kMemory[] = {
    {"limit", Need::optional, checked<&Memory::limit, limit_or_none>},
    {"reservation", Need::optional, checked<&Memory::reservation, limit_or_none>},
    {"swap", Need::optional, checked<&Memory::swap, limit_or_none>},
    {"kernel", Need::optional, checked<&Memory::kernel, limit_or_none>},
    {"kernelTCP", Need::optional, checked<&Memory::kernel_tcp, limit_or_none>},
    {"swappiness", Need::optional, checked<&Memory::swappiness, percent>},
    {"disableOOMKiller", Need::optional, member<&Memory::disable_oom_killer>},
    {"useHierarchy", Need::optional, member<&Memory::use_hierarchy>},
    {"checkBeforeUpdate", Need::optional, member<&Memory::check_before_update>},
};

Status read_memory(const At& at, Memory& out, Notes& notes) {
    return read_fields<Memory>(at, kMemory, out, notes);
}

constexpr Field<Cpu> kCpu[] = {
    {"shares", Need::optional, member<&Cpu::shares>},
    {"quota", Need::optional, checked<&Cpu::quota, limit_or_none>},
    {"period", Need::optional, member<&Cpu::period>},
    {"burst", Need::optional, member<&Cpu::burst>},
    {"realtimeRuntime", Need::optional, checked<&Cpu::realtime_runtime, limit_or_none>},
    {"realtimePeriod", Need::optional, member<&Cpu::realtime_period>},
    {"cpus", Need::optional, checked<&Cpu::cpus, cpu_list>},
    {"mems", Need::optional, checked<&Cpu::mems, cpu_list>},
    {"idle", Need::optional, member<&Cpu::idle>},
};

Status read_cpu(const At& at, Cpu& out, Notes& notes) {
    return read_fields<Cpu>(at, kCpu, out, notes);
}

constexpr Field<Resources> kPids[] = {
    {"limit", Need::optional, checked<&Resources::pids_limit, limit_or_none>},
};

Status read_pids(const At& at, Resources& out, Notes& notes) {
    return read_fields<Resources>(at, kPids, out, notes);
}

// ---- hugepages, network, unified ----------------------------------------------------------------

// "2MB", "1GB": the name of a cgroup file is made of it.
Status page_size(const At& at, const std::string& size) {
    const size_t digits = size.find_first_not_of("0123456789");
    const std::string unit = digits == std::string::npos ? "" : size.substr(digits);
    if (size.starts_with('0') || digits == 0 || digits > 10 ||
        (unit != "KB" && unit != "MB" && unit != "GB"))
        return at.expected("a size like \"2MB\"");
    return {};
}

constexpr Field<HugepageLimit> kHugepageLimit[] = {
    {"pageSize", Need::required, checked<&HugepageLimit::page_size, page_size>},
    {"limit", Need::required, member<&HugepageLimit::limit>},
};

Status read_hugepage_limit(const At& at, HugepageLimit& out, Notes& notes) {
    return read_fields<HugepageLimit>(at, kHugepageLimit, out, notes);
}

using Priority = std::pair<std::string, uint32_t>;

// One line of net_prio.ifpriomap; white space in the name would be another entry.
Status interface_name(const At& at, const std::string& name) {
    if (name.empty() || name.size() > 15 || name.find_first_of("/ \t\n\r:") != std::string::npos)
        return at.expected("the name of a network interface");
    return {};
}

constexpr Field<Priority> kPriority[] = {
    {"name", Need::required, checked<&Priority::first, interface_name>},
    {"priority", Need::required, member<&Priority::second>},
};

Status read_priority(const At& at, Priority& out, Notes& notes) {
    return read_fields<Priority>(at, kPriority, out, notes);
}

constexpr Field<Network> kNetwork[] = {
    {"classID", Need::optional, member<&Network::class_id>},
    {"priorities", Need::optional, list_of<&Network::priorities, read_priority>},
};

Status read_network(const At& at, Network& out, Notes& notes) {
    return read_fields<Network>(at, kNetwork, out, notes);
}

// Each key is a file in the container's own group: a name, never a path.
Status read_unified(const At& at, Resources& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.unified, notes));
    for (const json::Member& entry : *at.value.as_object()) {
        const At here = at.member(entry.key, entry.value);
        if (entry.key.find('/') != std::string::npos || entry.key.starts_with('.') ||
            entry.key.find('.') == std::string::npos)
            return here.wrong("the key must be the name of a cgroup v2 file");
        if (entry.key.starts_with("cgroup.") && !entry.key.starts_with("cgroup.max."))
            return here.wrong("this file is the runtime's own");
    }
    return {};
}

constexpr Field<Resources> kResources[] = {
    {"devices", Need::optional, list_of<&Resources::devices, read_device_rule>},
    {"memory", Need::optional, nested<&Resources::memory, read_memory>},
    {"cpu", Need::optional, nested<&Resources::cpu, read_cpu>},
    {"pids", Need::optional, read_pids},
    {"blockIO", Need::optional,
     [](const At& at, Resources& out, Notes& notes) {
         return read(at, out.block_io.emplace(), notes);
     }},
    {"hugepageLimits", Need::optional, list_of<&Resources::hugepage_limits, read_hugepage_limit>},
    {"network", Need::optional, nested<&Resources::network, read_network>},
    {"unified", Need::optional, read_unified},
    {"rdma", Need::not_supported, nullptr},
};

}  // namespace

Status read(const At& at, Resources& out, Notes& notes) {
    return read_fields<Resources>(at, kResources, out, notes);
}

}  // namespace hardrun::config
