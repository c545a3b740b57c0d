// SPDX-License-Identifier: Apache-2.0
// Rules about the root file system, scratch, masked and read-only paths.
#include <linux/mount.h>

#include <algorithm>
#include <array>
#include <optional>

#include "config/hardening.h"

namespace hardrun::config {
namespace {

struct Scratch {
    std::string_view path;
    uint64_t max_bytes;
    uint64_t share;  // of the memory limit: one n-th, so that all together stay at half
    std::string_view mode;
};
constexpr uint64_t kMiB = 1 << 20;
constexpr auto kScratch = std::to_array<Scratch>({
    {"/tmp", 512 * kMiB, 4, "1777"},
    {"/var/tmp", 256 * kMiB, 8, "1777"},
    {"/run", 64 * kMiB, 8, "755"},
});

Mount scratch_mount(const Scratch& scratch, std::optional<int64_t> memory_limit) {
    uint64_t bytes = scratch.max_bytes;
    if (memory_limit && *memory_limit > 0)
        bytes =
            std::clamp<uint64_t>(static_cast<uint64_t>(*memory_limit) / scratch.share, 4096, bytes);
    Mount mount{.destination = std::string(scratch.path),
                .type = "tmpfs",
                .source = "tmpfs",
                .options = {},
                .json_path = "scratch mount"};
    mount.options.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    mount.options.copy_up = true;
    mount.options.fs_options = {"mode=" + std::string(scratch.mode),
                                "size=" + std::to_string(bytes)};
    return mount;
}

// What docker, podman and containerd mask between them (tests/data/captures), and what newer
// kernels have added.
constexpr auto kMasked = std::to_array<std::string_view>(
    {"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys",
     "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list",
     "/proc/timer_stats", "/sys/dev/block", "/sys/devices/virtual/powercap", "/sys/firmware",
     "/sys/fs/selinux"});
constexpr auto kReadonly = std::to_array<std::string_view>(
    {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"});

bool contains(const std::vector<std::string>& list, std::string_view path) {
    return std::ranges::find(list, path) != list.end();
}

// Adds what is missing; the names of what was added.
template <size_t N>
std::string add_all(std::vector<std::string>& list, const std::array<std::string_view, N>& wanted,
                    const std::vector<std::string>& but_not) {
    std::string added;
    for (const std::string_view path : wanted) {
        if (contains(list, path) || contains(but_not, path))
            continue;
        list.emplace_back(path);
        added.append(added.empty() ? "" : ", ").append(path);
    }
    return added;
}

}  // namespace

void rule_readonly_root(Hardening& h) {
    if (!std::exchange(h.spec().root.readonly, true))
        h.note("the root file system is read-only");
}

// First in the list, so that what the engine mounts below /run still finds its place.
void rule_scratch(Hardening& h) {
    Spec& spec = h.spec();
    std::optional<int64_t> limit;
    if (spec.linux.resources.memory)
        limit = spec.linux.resources.memory->limit;
    auto at = spec.mounts.begin();
    for (const Scratch& row : kScratch) {
        const bool taken = std::ranges::any_of(
            spec.mounts, [&](const Mount& m) { return m.destination == row.path; });
        if (taken)
            continue;
        at = std::next(spec.mounts.insert(at, scratch_mount(row, limit)));
        h.note(std::string(row.path) + " is a scratch mount");
    }
    if (spec.process && !has_env(*spec.process, "TMPDIR"))
        spec.process->env.emplace_back("TMPDIR=/tmp");
}

void rule_paths(Hardening& h) {
    Linux& linux = h.spec().linux;
    const std::string masked = add_all(linux.masked_paths, kMasked, {});
    const std::string readonly = add_all(linux.readonly_paths, kReadonly, linux.masked_paths);
    if (!masked.empty())
        h.note("masked: " + masked);
    if (!readonly.empty())
        h.note("read-only: " + readonly);
}

}  // namespace hardrun::config
