// SPDX-License-Identifier: Apache-2.0
// Rules about what a container may use up: processes, memory, CPU time.
#include <algorithm>

#include "config/hardening.h"

namespace hardrun::config {
namespace {

constexpr int64_t kPids = 2048;
constexpr int64_t kGuardedPids = 4096;
constexpr uint64_t kMostMemory = uint64_t{8} << 30;
constexpr uint64_t kDefaultShares = 1024;  // cgroup-v1, cpu.shares
constexpr uint64_t kLeastShares = 2;

bool is_limited(const std::optional<int64_t>& limit) {
    return limit && *limit > 0;
}

}  // namespace

void rule_pids(Hardening& h) {
    std::optional<int64_t>& limit = h.spec().linux.resources.pids_limit;
    if (is_limited(limit))
        return;
    if (!h.bundle().may_limit) {
        h.note("no limit: there is no cgroup to set it in");
        return;
    }
    limit = h.refuses() ? kPids : kGuardedPids;
    h.note("at most " + std::to_string(*limit) + " processes");
}

// Half of the host, so that a memory hog ends in its own group and not in the host's.
void rule_memory(Hardening& h) {
    auto& memory = h.spec().linux.resources.memory;
    if (memory && is_limited(memory->limit))
        return;
    if (!h.bundle().may_limit || h.bundle().memory_bytes == 0) {
        h.note("no limit: there is no cgroup to set it in");
        return;
    }
    if (!memory)
        memory.emplace();
    memory->limit =
        static_cast<int64_t>(std::min<uint64_t>(kMostMemory, h.bundle().memory_bytes / 2));
    std::string what = "at most " + std::to_string(*memory->limit >> 20) + " MiB";
    if (h.bundle().swap_limit) {
        memory->swap = memory->limit;
        what += ", no swap";
    }
    h.note(what);
}

void rule_cpu(Hardening& h) {
    if (!h.bundle().may_limit)
        return;
    auto& cpu = h.spec().linux.resources.cpu;
    if (!cpu)
        cpu.emplace();
    if (cpu->idle)
        return;
    cpu->shares = std::max(kLeastShares,
                           cpu->shares.value_or(0) == 0 ? kDefaultShares / 2 : *cpu->shares / 2);
    h.note("half the weight: the host stays responsive");
}

}  // namespace hardrun::config
