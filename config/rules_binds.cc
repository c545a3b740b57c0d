// SPDX-License-Identifier: Apache-2.0
// Rules about bind mounts: where they may come from, and what they may carry.
#include <linux/mount.h>

#include <algorithm>
#include <array>
#include <optional>

#include "config/hardening.h"

namespace hardrun::config {
namespace {

constexpr auto kRefusedFolders = std::to_array<std::string_view>(
    {"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run",
     "/sbin", "/sys", "/usr", "/var/lib", "/var/spool"});

// Named volumes and pod folders: made by root's engine for containers, and for nothing else.
struct VolumeFolder {
    std::string_view before;  // the name of the volume or pod comes next
    std::string_view after;
};
constexpr auto kVolumes = std::to_array<VolumeFolder>({
    {"/var/lib/docker/volumes/", "/_data"},
    {"/var/lib/containers/storage/volumes/", "/_data"},
    {"/var/lib/kubelet/pods/", "/volumes/"},
    {"/var/lib/kubelet/pods/", "/volume-subpaths/"},
    {"/var/lib/kubelet/pods/", "/containers/"},
    {"/var/lib/kubelet/pods/", "/etc-hosts"},
});

constexpr auto kEngineSockets =
    std::to_array<std::string_view>({"docker.sock", "containerd.sock", "podman.sock", "crio.sock",
                                     "buildkitd.sock", "cri-dockerd.sock", "dockershim.sock"});

// Where engines put the init of `--init`.
constexpr auto kEngineInits =
    std::to_array<std::string_view>({"/sbin/docker-init", "/run/podman-init", "/dev/init"});

constexpr auto kEngineFiles =
    std::to_array<std::string_view>({"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"});

bool is_bind(const Mount& mount) {
    return mount.options.bind || mount.type == "bind";
}

bool is_readonly(const Mount& mount) {
    return ((mount.options.attr_set | mount.options.rec_set) & MOUNT_ATTR_RDONLY) != 0;
}

// `path` is `folder` or lies in it.
bool is_below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) &&
           (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_volume(std::string_view path) {
    return std::ranges::any_of(kVolumes, [&](const VolumeFolder& v) {
        if (!path.starts_with(v.before))
            return false;
        const std::string_view rest = path.substr(v.before.size());
        const size_t name = rest.find('/');
        return name != 0 && name != std::string_view::npos &&
               rest.substr(name).starts_with(v.after);
    });
}

// An engine keeps what it makes for one container in a folder of that container's name.
bool is_engines(std::string_view path, const Hardening& h, const Spec& spec) {
    std::vector<std::string> ids = {h.bundle().id};
    for (const char* const key : {"io.kubernetes.cri.sandbox-id", "io.kubernetes.cri-o.SandboxID"})
        if (const auto it = spec.annotations.find(key); it != spec.annotations.end())
            ids.push_back(it->second);
    return std::ranges::any_of(ids, [&](const std::string& id) {
        return !id.empty() && path.find("/" + id + "/") != std::string_view::npos;
    });
}

// Why the source is dangerous; empty when it is not.
std::optional<std::string> danger_of(const SourceFacts& source, const Hardening& h) {
    if (source.kind == SourceKind::socket)
        return "a unix socket";
    for (const std::string& home : h.bundle().homes) {
        if (is_below(home, source.resolved))
            return "holds the home folder " + home;
        if (is_below(source.resolved, home) && source.resolved.size() > home.size() + 1 &&
            source.resolved[home.size() + 1] == '.')
            return "lies in a dot-folder of the home folder " + home;
    }
    if (is_below("/home", source.resolved))
        return "holds the home folders";
    for (const std::string_view folder : kRefusedFolders)
        if (is_below(source.resolved, folder) || is_below(folder, source.resolved))
            return "holds what belongs to the host (" + std::string(folder) + ")";
    return std::nullopt;
}

bool is_exempt(const Mount& mount, const SourceFacts& source, Hardening& h) {
    const bool init = is_readonly(mount) && source.kind == SourceKind::file &&
                      std::ranges::find(kEngineInits, mount.destination) != kEngineInits.end();
    return source.kind != SourceKind::socket &&
           (init || is_volume(source.resolved) || is_engines(source.resolved, h, h.spec()));
}

}  // namespace

void rule_bind_sources(Hardening& h) {
    for (const Mount& mount : h.spec().mounts) {
        const auto found = h.bundle().sources.find(mount.json_path);
        if (!is_bind(mount) || found == h.bundle().sources.end())
            continue;
        const SourceFacts& source = found->second;
        if (source.kind == SourceKind::unknown || is_exempt(mount, source, h))
            continue;
        const auto danger = danger_of(source, h);
        if (!danger)
            continue;
        const std::string what = source.resolved + ": " + *danger;
        const bool engine =
            source.kind == SourceKind::socket &&
            std::ranges::find(kEngineSockets, base_name(source.resolved)) != kEngineSockets.end();
        if (engine)
            h.refuse(mount.json_path + ".source",
                     what + " of a container engine: it is root on the host",
                     "leave out the volume");
        else
            h.refuse_or_note(mount.json_path + ".source", what, "leave out the volume");
    }
}

void rule_bind_flags(Hardening& h) {
    constexpr uint64_t kFlags = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    std::string changed;
    for (Mount& mount : h.spec().mounts) {
        MountOptions& o = mount.options;
        if (!is_bind(mount) || (o.rec_set & MOUNT_ATTR_RDONLY) != 0)
            continue;
        (o.bind_recursive ? o.rec_set : o.attr_set) |= kFlags;
        o.attr_clear &= ~kFlags;
        o.rec_clear &= ~kFlags;
        changed.append(changed.empty() ? "" : ", ").append(mount.destination);
    }
    if (!changed.empty())
        h.note("no set-uid programs and no devices below " + changed);
}

void rule_engine_files(Hardening& h) {
    for (Mount& mount : h.spec().mounts) {
        if (!is_bind(mount) || is_readonly(mount) ||
            std::ranges::find(kEngineFiles, mount.destination) == kEngineFiles.end() ||
            !is_engines(mount.source, h, h.spec()))
            continue;
        mount.options.attr_set |= MOUNT_ATTR_RDONLY;
        h.note(mount.destination + " is read-only");
    }
}

}  // namespace hardrun::config
