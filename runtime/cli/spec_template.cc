// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/spec_template.h"

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "runtime/base/json_writer.h"

namespace hardrun::cli {
namespace {

using json::Writer;
using Texts = std::span<const std::string_view>;

constexpr auto kCaps =
    std::to_array<std::string_view>({"CAP_AUDIT_WRITE", "CAP_KILL", "CAP_NET_BIND_SERVICE"});
constexpr auto kMasked = std::to_array<std::string_view>(
    {"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
     "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/sys/firmware", "/proc/scsi"});
constexpr auto kReadonly = std::to_array<std::string_view>(
    {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"});

void list(Writer& w, std::string_view key, Texts values) {
    w.key(key).begin_array();
    for (const std::string_view v : values)
        w.value(v);
    w.end_array();
}

void write_process(Writer& w) {
    w.key("process").begin_object().field("terminal", true);
    w.key("user").begin_object().field("uid", 0).field("gid", 0).end_object();
    list(w, "args", std::to_array<std::string_view>({"sh"}));
    list(w, "env",
         std::to_array<std::string_view>(
             {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM=xterm"}));
    w.field("cwd", "/");
    w.key("capabilities").begin_object();
    for (const std::string_view set : {"bounding", "effective", "permitted"})
        list(w, set, kCaps);
    w.end_object();
    w.key("rlimits").begin_array().begin_object();
    w.field("type", "RLIMIT_NOFILE")
        .field("hard", 1024)
        .field("soft", 1024)
        .end_object()
        .end_array();
    w.field("noNewPrivileges", true).end_object();
}

using List = std::initializer_list<std::string_view>;

void write_mount(Writer& w, List three, List options) {
    const std::string_view* const t = three.begin();
    w.begin_object().field("destination", t[0]).field("type", t[1]).field("source", t[2]);
    if (options.size() != 0)
        list(w, "options", Texts(options.begin(), options.size()));
    w.end_object();
}

void write_mounts(Writer& w, bool rootless) {
    w.key("mounts").begin_array();
    write_mount(w, {"/proc", "proc", "proc"}, {});
    write_mount(w, {"/dev", "tmpfs", "tmpfs"},
                {"nosuid", "strictatime", "mode=755", "size=65536k"});
    if (rootless)
        write_mount(w, {"/dev/pts", "devpts", "devpts"},
                    {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"});
    else
        write_mount(w, {"/dev/pts", "devpts", "devpts"},
                    {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"});
    write_mount(w, {"/dev/shm", "tmpfs", "shm"},
                {"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"});
    write_mount(w, {"/dev/mqueue", "mqueue", "mqueue"}, {"nosuid", "noexec", "nodev"});
    if (rootless)
        write_mount(w, {"/sys", "none", "/sys"}, {"rbind", "nosuid", "noexec", "nodev", "ro"});
    else
        write_mount(w, {"/sys", "sysfs", "sysfs"}, {"nosuid", "noexec", "nodev", "ro"});
    if (!rootless)
        write_mount(w, {"/sys/fs/cgroup", "cgroup", "cgroup"},
                    {"nosuid", "noexec", "nodev", "relatime", "ro"});
    w.end_array();
}

void write_map(Writer& w, std::string_view key, uint32_t id) {
    w.key(key).begin_array().begin_object();
    w.field("containerID", 0).field("hostID", id).field("size", 1).end_object().end_array();
}

void write_namespaces(Writer& w, List names) {
    w.key("namespaces").begin_array();
    for (const std::string_view name : names)
        w.begin_object().field("type", name).end_object();
    w.end_array();
}

void begin(Writer& w, bool rootless) {
    w.begin_object().field("ociVersion", "1.0.2-dev");
    write_process(w);
    w.key("root").begin_object().field("path", "rootfs").field("readonly", true).end_object();
    w.field("hostname", "hardrun");
    write_mounts(w, rootless);
    w.key("linux").begin_object();
}

std::string end(Writer& w) {
    list(w, "maskedPaths", kMasked);
    list(w, "readonlyPaths", kReadonly);
    return w.end_object().end_object().take() + "\n";
}

}  // namespace

std::string default_spec() {
    Writer w(json::Layout::indented);
    begin(w, false);
    w.key("resources").begin_object().key("devices").begin_array();
    w.begin_object()
        .field("allow", false)
        .field("access", "rwm")
        .end_object()
        .end_array()
        .end_object();
    write_namespaces(w, {"pid", "network", "ipc", "uts", "mount"});
    return end(w);
}

std::string rootless_spec(uint32_t uid, uint32_t gid) {
    Writer w(json::Layout::indented);
    begin(w, true);
    write_map(w, "uidMappings", uid);
    write_map(w, "gidMappings", gid);
    write_namespaces(w, {"pid", "ipc", "uts", "mount", "user"});
    return end(w);
}

}  // namespace hardrun::cli
