// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <linux/mount.h>
#include <linux/sched.h>
#include <sys/stat.h>

#include <array>

#include "config/harden.h"
#include "config/names.h"
#include "config/read_spec.h"
#include "runtime/base/json_writer.h"
#include "runtime/plan/plan.h"

namespace hardrun::test {
namespace {

using config::Profile;
using json::Writer;

// A host that has everything, so that the answer depends on the file alone.
constexpr KernelFacts kFacts{.bounding = (uint64_t{1} << 41) - 1,
                             .known_caps = (uint64_t{1} << 41) - 1,
                             .apparmor = true,
                             .selinux = true,
                             .kcore = true};

struct Bit {
    uint64_t bit;
    std::string_view name;
};
constexpr auto kAttributes = std::to_array<Bit>({{MOUNT_ATTR_RDONLY, "ro"},
                                                 {MOUNT_ATTR_NOSUID, "nosuid"},
                                                 {MOUNT_ATTR_NODEV, "nodev"},
                                                 {MOUNT_ATTR_NOEXEC, "noexec"},
                                                 {MOUNT_ATTR_NOATIME, "noatime"},
                                                 {MOUNT_ATTR_STRICTATIME, "strictatime"},
                                                 {MOUNT_ATTR_NODIRATIME, "nodiratime"},
                                                 {MOUNT_ATTR_NOSYMFOLLOW, "nosymfollow"}});
constexpr auto kNamespaces = std::to_array<Bit>({{CLONE_NEWCGROUP, "cgroup"},
                                                 {CLONE_NEWIPC, "ipc"},
                                                 {CLONE_NEWNS, "mount"},
                                                 {CLONE_NEWNET, "network"},
                                                 {CLONE_NEWPID, "pid"},
                                                 {CLONE_NEWTIME, "time"},
                                                 {CLONE_NEWUSER, "user"},
                                                 {CLONE_NEWUTS, "uts"}});

template <size_t N>
std::string names(const std::array<Bit, N>& table, uint64_t bits) {
    std::string out;
    for (const Bit& row : table)
        if ((bits & row.bit) != 0)
            out.append(out.empty() ? "" : ",").append(row.name);
    return out;
}

std::string cap_names(uint64_t caps) {
    std::string out;
    for (uint8_t cap = 0; cap < 64; ++cap)
        if ((caps >> cap & 1) != 0)
            out.append(out.empty() ? "" : " ").append(config::capability_name(cap).substr(4));
    return out;
}

std::string mount_line(const plan::Mount& m) {
    std::string out = m.target + ": ";
    switch (m.kind) {
        case plan::MountKind::bind:
            out += m.options.bind_recursive ? "rbind" : "bind";
            break;
        case plan::MountKind::cgroup:
            out += "cgroup";
            break;
        case plan::MountKind::filesystem:
            out += m.fstype;
            break;
    }
    if (const std::string flags = names(kAttributes, m.options.attr_set); !flags.empty())
        out += " " + flags;
    if (const std::string flags = names(kAttributes, m.options.rec_set); !flags.empty())
        out += " all:" + flags;
    for (const plan::FsOption& option : m.fs_options)
        if (option.key != "source")
            out += " " + option.key + (option.value ? "=" + *option.value : "");
    if (m.options.copy_up)
        out += " copy-up";
    return out + (m.in_cell ? " in-cell" : "");
}

void write_identity(Writer& w, const plan::Identity& id) {
    w.key("capabilities").begin_object();
    w.field("bounding", cap_names(id.bounding)).field("effective", cap_names(id.effective));
    w.field("permitted", cap_names(id.permitted)).field("inheritable", cap_names(id.inheritable));
    w.field("ambient", cap_names(id.ambient)).end_object();
    w.field("noNewPrivs", id.no_new_privs);
}

void write_plan(Writer& w, const plan::Plan& plan) {
    if (plan.process)
        write_identity(w, plan.process->identity);
    w.field("rootReadonly", plan.readonly_root);
    const bool cell = plan.network == config::NetworkPlace::cell;
    w.field("network", std::string_view(cell ? "cell" : "engine"));
    w.field("newNamespaces", names(kNamespaces, plan.namespaces.created));
    w.key("joinedNamespaces").begin_array();
    for (const plan::NamespaceJoin& join : plan.namespaces.joined)
        w.value(names(kNamespaces, join.type));
    w.end_array().key("mounts").begin_array();
    for (const plan::Mount& m : plan.mounts)
        w.value(mount_line(m));
    w.end_array();
    w.field("devices", plan.devices.size()).field("sysctls", plan.sysctls.size());
    w.field("readonlyPaths", plan.readonly_paths.size());
    w.field("maskedPaths", plan.masked_paths.size());
}

// The host that the captures were made on, as far as the rules look at it.
config::BundleFacts bundle_facts_of(const config::Spec& spec) {
    config::BundleFacts out;
    const std::string& group = spec.linux.cgroups_path;
    out.id = group.substr(group.find_last_of("/-:") + 1);
    out.homes = {"/home/dev", "/root"};
    out.memory_bytes = uint64_t{12} << 30;
    out.swap_limit = true;
    out.host_namespaces = {"/var/run/docker/netns/default"};
    for (const config::Mount& m : spec.mounts)
        if (m.options.bind || m.type == "bind")
            out.sources[m.json_path] = {
                .kind = m.source.ends_with(".sock") ? config::SourceKind::socket
                        : m.source.find("/host") != std::string::npos || m.source.ends_with("-init")
                            ? config::SourceKind::file
                            : config::SourceKind::directory,
                .resolved = m.source};
    return out;
}

void write_outcome(Writer& w, std::string_view json, Profile profile) {
    config::Notes notes;
    auto spec = config::read_spec(json, notes);
    if (!spec) {
        w.field("error", spec.error().what());
        return;
    }
    const config::BundleFacts bundle = bundle_facts_of(*spec);
    const auto hardened = config::harden(*std::move(spec), profile, kFacts, bundle);
    if (!hardened) {
        w.field("refused", hardened.error().what());
        return;
    }
    const auto plan = plan::make_plan(*hardened, kFacts);
    if (!plan)
        w.field("error", plan.error().what());
    else
        write_plan(w, *plan);
    w.key("findings").begin_array();
    for (const config::Finding& finding : hardened->findings())
        w.value(std::string(finding.rule) + ": " + finding.what);
    w.end_array();
}

}  // namespace

std::string outcomes(std::string_view config_json) {
    Writer w(json::Layout::indented);
    w.begin_object();
    for (const Profile profile :
         {Profile::strict, Profile::net, Profile::guarded, Profile::compat}) {
        w.key(config::name(profile)).begin_object();
        write_outcome(w, config_json, profile);
        w.end_object();
    }
    return w.end_object().take() + "\n";
}

}  // namespace hardrun::test
