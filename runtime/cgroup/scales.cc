// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/scales.h"

#include <algorithm>

namespace hardrun::cgroup {
namespace {

Error out_of_range(const std::string& field, uint64_t got, const std::string& range) {
    return Error(Errc::bad_config, field + ": is " + std::to_string(got) + ", must be " + range);
}

}  // namespace

uint64_t weight_from_shares(uint64_t shares) {
    return 1 + (std::clamp<uint64_t>(shares, 2, 262144) - 2) * 9999 / 262142;
}

uint64_t io_weight_from_blkio(uint64_t weight) {
    return 1 + (std::clamp<uint64_t>(weight, 10, 1000) - 10) * 9999 / 990;
}

std::string limit_text(int64_t limit) {
    return limit < 0 ? "max" : std::to_string(limit);
}

int64_t pids_limit(int64_t limit) {
    return limit == 0 ? 1 : limit;
}

Result<int64_t> swap_without_memory(int64_t memory_and_swap, int64_t memory) {
    if (memory == -1 && memory_and_swap == 0)
        return int64_t{-1};  // on v1 the limit for both goes with the one for memory
    if (memory_and_swap == -1 || memory_and_swap == 0)
        return memory_and_swap;
    const std::string where =
        "linux.resources.memory.swap: is " + std::to_string(memory_and_swap) + ", ";
    if (memory <= 0)
        return Error(Errc::bad_config, where +
                                           "which needs a memory limit beside it (swap counts "
                                           "memory and swap together)");
    if (memory_and_swap < memory)
        return Error(Errc::bad_config, where + "must be at least memory.limit " +
                                           std::to_string(memory) +
                                           " (swap counts memory and swap together)");
    return memory_and_swap - memory;
}

Status check_ranges(const config::Resources& resources) {
    if (resources.cpu && given(resources.cpu->shares) &&
        (*resources.cpu->shares < 2 || *resources.cpu->shares > 262144))
        return out_of_range("linux.resources.cpu.shares", *resources.cpu->shares, "2 to 262144");
    if (resources.memory && resources.memory->swappiness && *resources.memory->swappiness > 100 &&
        *resources.memory->swappiness != UINT64_MAX)  // -1, docker's "not set"
        return out_of_range("linux.resources.memory.swappiness", *resources.memory->swappiness,
                            "0 to 100");
    if (resources.block_io && given(resources.block_io->weight) &&
        (*resources.block_io->weight < 10 || *resources.block_io->weight > 1000))
        return out_of_range("linux.resources.blockIO.weight", *resources.block_io->weight,
                            "10 to 1000");
    for (const config::HugepageLimit& page : resources.hugepage_limits)
        if (page.page_size.empty() || page.page_size.find('/') != std::string::npos)
            return Error(Errc::bad_config, "linux.resources.hugepageLimits: page size '" +
                                               page.page_size + "' is none (like 2MB or 1GB)");
    return {};
}

std::string device_text(uint32_t major, uint32_t minor) {
    return std::to_string(major) + ":" + std::to_string(minor);
}

}  // namespace hardrun::cgroup
