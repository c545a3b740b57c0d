// SPDX-License-Identifier: Apache-2.0
// linux.resources of config.json (config-linux.md, "Control groups"), as typed as the rest of
// spec.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hardrun::config {

// One rule of linux.resources.devices; they apply in the order listed.
struct DeviceRule {
    bool allow = false;
    char type = 'a';                // a, c or b
    std::optional<uint32_t> major;  // absent (or -1): any
    std::optional<uint32_t> minor;
    bool read = true;
    bool write = true;
    bool mknod = true;
};

struct Memory {
    std::optional<int64_t> limit;  // bytes; -1: none
    std::optional<int64_t> reservation;
    std::optional<int64_t> swap;  // memory and swap together
    std::optional<int64_t> kernel;
    std::optional<int64_t> kernel_tcp;
    std::optional<uint64_t> swappiness;
    std::optional<bool> disable_oom_killer;
    std::optional<bool> use_hierarchy;
    std::optional<bool> check_before_update;
};

struct Cpu {
    std::optional<uint64_t> shares;
    std::optional<int64_t> quota;    // microseconds per period
    std::optional<uint64_t> period;  // microseconds
    std::optional<uint64_t> burst;   // microseconds
    std::optional<int64_t> realtime_runtime;
    std::optional<uint64_t> realtime_period;
    std::optional<std::string> cpus;
    std::optional<std::string> mems;
    std::optional<int64_t> idle;
};

struct BlkioWeightDevice {
    uint32_t major = 0;
    uint32_t minor = 0;
    std::optional<uint16_t> weight;
    std::optional<uint16_t> leaf_weight;
};

struct BlkioThrottle {
    uint32_t major = 0;
    uint32_t minor = 0;
    uint64_t rate = 0;  // bytes or operations per second
};

struct BlockIo {
    std::optional<uint16_t> weight;
    std::optional<uint16_t> leaf_weight;
    std::vector<BlkioWeightDevice> weight_device;
    std::vector<BlkioThrottle> read_bps;
    std::vector<BlkioThrottle> write_bps;
    std::vector<BlkioThrottle> read_iops;
    std::vector<BlkioThrottle> write_iops;
};

struct HugepageLimit {
    std::string page_size;  // "2MB", "1GB"
    uint64_t limit = 0;     // bytes
};

struct Network {
    std::optional<uint32_t> class_id;
    std::vector<std::pair<std::string, uint32_t>> priorities;  // interface name, priority
};

struct Resources {
    std::vector<DeviceRule> devices;
    std::optional<Memory> memory;
    std::optional<Cpu> cpu;
    std::optional<int64_t> pids_limit;
    std::optional<BlockIo> block_io;
    std::vector<HugepageLimit> hugepage_limits;
    std::optional<Network> network;
    std::map<std::string, std::string> unified;
};

}  // namespace hardrun::config
