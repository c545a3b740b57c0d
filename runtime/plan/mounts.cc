// SPDX-License-Identifier: Apache-2.0
#include <linux/mount.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/plan/parts.h"

namespace hardrun::plan {
namespace {

// What container tools put below /proc on purpose; a mount anywhere else there could lie about a
// process.
constexpr auto kBelowProc = std::to_array<std::string_view>(
    {"proc/cpuinfo", "proc/diskstats", "proc/loadavg", "proc/meminfo", "proc/net/dev",
     "proc/slabinfo", "proc/stat", "proc/swaps", "proc/sys/kernel/ns_last_pid", "proc/uptime"});

bool has_option(const config::Mount& mount, std::string_view key) {
    return std::ranges::any_of(mount.options.fs_options, [&](const std::string& o) {
        return o.substr(0, o.find('=')) == key;
    });
}

std::vector<FsOption> fs_options(const config::Mount& mount) {
    std::vector<FsOption> out;
    if (!mount.source.empty())
        out.push_back({"source", mount.source});
    for (const std::string& option : mount.options.fs_options) {
        const size_t equals = option.find('=');
        if (equals == std::string::npos)
            out.push_back({option, std::nullopt});
        else
            out.push_back({option.substr(0, equals), option.substr(equals + 1)});
    }
    return out;
}

MountKind kind_of(const config::Mount& mount) {
    if (mount.options.bind || mount.type == "bind")
        return MountKind::bind;
    return mount.type == "cgroup" ? MountKind::cgroup : MountKind::filesystem;
}

Result<Mount> plan_bind(const config::Mount& mount, Mount out) {
    if (!mount.options.fs_options.empty())
        return Error(Errc::bad_config, out.json_path + ".options: '" +
                                           mount.options.fs_options.front() +
                                           "' is no option of a bind mount");
    out.source = mount.source;
    if (out.source.empty())
        return Error(Errc::bad_config, out.json_path + ".source: a bind mount needs one");
    // A clone of a shared mount would send the container's mounts back to the host.
    if (out.options.propagation.empty())
        out.options.propagation.push_back(out.options.bind_recursive ? MS_SLAVE | MS_REC
                                                                     : MS_SLAVE);
    return out;
}

Result<Mount> plan_filesystem(const config::Mount& mount, Mount out, config::NetworkPlace network) {
    if (mount.type.empty() || mount.type == "none")
        return Error(Errc::bad_config,
                     out.json_path + ".type: expected a file system, got \"" + mount.type + "\"");
    const bool tmpfs = mount.type == "tmpfs";
    out.fstype = mount.type;
    out.fs_options = fs_options(mount);
    out.plain_target = mount.type == "proc" || mount.type == "sysfs";
    out.late_readonly = tmpfs && (mount.options.attr_set & MOUNT_ATTR_RDONLY) != 0;
    out.keep_mode = tmpfs && !has_option(mount, "mode");
    out.in_cell = mount.type == "sysfs" && network == config::NetworkPlace::cell;
    if (out.plain_target && out.target.find('/') != std::string::npos)
        out.plain_target = false;
    return out;
}

Result<Mount> plan_mount(const config::Mount& mount, config::NetworkPlace network) {
    const std::string& json_path = mount.json_path;
    Mount out{.json_path = json_path,
              .kind = kind_of(mount),
              .target = below_root(mount.destination),
              .options = mount.options};
    if (out.target == ".")
        return Error(Errc::bad_config,
                     json_path + ".destination: \"/\" is the root itself: use root.path");
    const bool below = out.target.starts_with("proc/");
    out.below_proc =
        out.target == "proc" || std::ranges::find(kBelowProc, out.target) != kBelowProc.end();
    if (below && !out.below_proc)
        return Error(Errc::bad_config,
                     json_path + ".destination: \"" + mount.destination +
                         "\" lies inside /proc, where only a few files may be covered");
    if (out.kind == MountKind::bind)
        return plan_bind(mount, std::move(out));
    return plan_filesystem(mount, std::move(out), network);
}

}  // namespace

Result<std::vector<Mount>> plan_mounts(const config::Spec& spec, config::NetworkPlace network) {
    std::vector<Mount> out;
    out.reserve(spec.mounts.size());
    for (const config::Mount& mount : spec.mounts) {
        HARDRUN_TRY(Mount planned, plan_mount(mount, network));
        out.push_back(std::move(planned));
    }
    return out;
}

}  // namespace hardrun::plan
