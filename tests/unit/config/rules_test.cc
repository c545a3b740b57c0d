// SPDX-License-Identifier: Apache-2.0
// The rules of hardening.md, section 2, one by one.
#include <linux/capability.h>
#include <linux/mount.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "config/harden.h"
#include "config/secrets.h"

namespace hardrun::config {
namespace {

constexpr KernelFacts kFacts{.bounding = (uint64_t{1} << 41) - 1,
                             .known_caps = (uint64_t{1} << 41) - 1};

BundleFacts host() {
    BundleFacts out;
    out.id = "c1d2";
    out.homes = {"/root", "/home/dev"};
    out.memory_bytes = uint64_t{4} << 30;
    out.swap_limit = true;
    return out;
}

Spec plain() {
    Spec spec;
    spec.process.emplace().capabilities = Capabilities{};
    for (const NamespaceType type : {NamespaceType::pid, NamespaceType::network, NamespaceType::ipc,
                                     NamespaceType::uts, NamespaceType::mount})
        spec.linux.namespaces.push_back({type, ""});
    return spec;
}

Spec with_bind(const std::string& destination, const std::string& source, uint64_t set = 0) {
    Spec spec = plain();
    Mount mount{.destination = destination,
                .type = "bind",
                .source = source,
                .options = {},
                .json_path = "mounts[0]"};
    mount.options.bind = true;
    mount.options.bind_recursive = true;
    mount.options.attr_set = set;
    spec.mounts.push_back(mount);
    return spec;
}

BundleFacts with_source(const std::string& resolved, SourceKind kind = SourceKind::directory) {
    BundleFacts out = host();
    out.sources["mounts[0]"] = {.kind = kind, .resolved = resolved};
    return out;
}

HardenedSpec given(Spec spec, Profile profile = Profile::strict,
                   const BundleFacts& facts = host()) {
    auto out = harden(std::move(spec), profile, kFacts, facts);
    EXPECT_TRUE(out) << out.error().what();
    return *std::move(out);
}

std::string refusal(Spec spec, Profile profile = Profile::strict,
                    const BundleFacts& facts = host()) {
    const auto out = harden(std::move(spec), profile, kFacts, facts);
    return out ? "" : out.error().what();
}

bool says(const HardenedSpec& spec, std::string_view rule, std::string_view part) {
    return std::ranges::any_of(spec.findings(), [&](const Finding& f) {
        return f.rule == rule && f.what.find(part) != std::string::npos;
    });
}

const Mount& mount_at(const HardenedSpec& spec, std::string_view destination) {
    return *std::ranges::find(spec.spec().mounts, destination, &Mount::destination);
}

TEST(Rules, a_path_that_leads_to_the_hosts_namespace_is_the_hosts) {
    Spec spec = plain();
    spec.linux.namespaces[1].path = "/var/run/docker/netns/default";
    BundleFacts facts = host();
    facts.host_namespaces = {"/var/run/docker/netns/default"};
    EXPECT_NE(refusal(spec, Profile::strict, facts).find("linux.namespaces[1].path"),
              std::string::npos);
    EXPECT_NE(refusal(spec, Profile::net, facts), "");
    EXPECT_TRUE(says(given(spec, Profile::guarded, facts), "host-namespaces", "network"));
    facts.host_namespaces.clear();
    EXPECT_EQ(refusal(spec, Profile::strict, facts), "");
}

TEST(Rules, devices_beyond_the_default_ones) {
    Spec node = plain();
    node.linux.devices.push_back({.type = 'c', .path = "/dev/fuse", .major = 10, .minor = 229});
    EXPECT_NE(refusal(node).find("/dev/fuse"), std::string::npos);
    EXPECT_TRUE(says(given(node, Profile::guarded), "devices", "/dev/fuse"));

    Spec rule = plain();
    rule.linux.resources.devices.push_back({.allow = true, .type = 'c', .major = 10, .minor = 229});
    EXPECT_NE(refusal(rule).find("c 10:229"), std::string::npos);

    Spec ordinary = plain();
    ordinary.linux.resources.devices = {
        {.allow = false},
        {.allow = true, .type = 'c', .major = 1, .minor = 3},
        {.allow = true, .type = 'c', .major = 136},
        {.allow = true, .type = 'b', .read = false, .write = false}};
    EXPECT_EQ(refusal(ordinary), "");
}

TEST(Rules, sysctls_that_no_engine_sets_by_itself) {
    Spec spec = plain();
    spec.linux.sysctl = {{"net/ipv4/ip_unprivileged_port_start", "0"}};
    EXPECT_EQ(refusal(spec), "");
    spec.linux.sysctl["net/ipv4/ip_forward"] = "1";
    EXPECT_NE(refusal(spec).find("net/ipv4/ip_forward"), std::string::npos);
    EXPECT_EQ(refusal(spec, Profile::guarded), "");
}

TEST(Rules, dangerous_sources_are_refused) {
    const char* const bad[] = {"/",           "/home",       "/home/dev",     "/root",    "/etc",
                               "/etc/passwd", "/usr/bin",    "/proc/1",       "/run",     "/run/x",
                               "/dev/sda",    "/sys/kernel", "/var",          "/var/lib", "/lib64",
                               "/boot/grub",  "/var/spool",  "/home/dev/.ssh"};
    for (const char* const source : bad) {
        const std::string what =
            refusal(with_bind("/x", source), Profile::strict, with_source(source));
        EXPECT_NE(what.find("mounts[0].source"), std::string::npos) << source << ": " << what;
        EXPECT_TRUE(says(given(with_bind("/x", source), Profile::guarded, with_source(source)),
                         "bind-sources", source));
    }
}

TEST(Rules, a_project_a_volume_and_a_pods_folder_are_not) {
    const char* const good[] = {"/home/dev/project",
                                "/root/project",
                                "/srv/data",
                                "/tmp/x",
                                "/etcetera",
                                "/var/lib/docker/volumes/v1/_data",
                                "/var/lib/containers/storage/volumes/v1/_data/sub",
                                "/var/lib/kubelet/pods/8b1e/volumes/kubernetes.io~empty-dir/t",
                                "/var/lib/docker/containers/c1d2/hosts"};
    for (const char* const source : good)
        EXPECT_EQ(refusal(with_bind("/x", source), Profile::strict, with_source(source)), "")
            << source;
    for (const char* const source : {"/var/lib/docker/volumes/v1", "/var/lib/docker/volumes/",
                                     "/var/lib/docker/volumes//_data",
                                     "/var/lib/docker/containers/other/hosts", "/var/lib/docker"})
        EXPECT_NE(refusal(with_bind("/x", source), Profile::strict, with_source(source)), "")
            << source;
}

TEST(Rules, sockets) {
    const BundleFacts engine = with_source("/srv/docker.sock", SourceKind::socket);
    for (const Profile profile : {Profile::strict, Profile::net, Profile::guarded})
        EXPECT_NE(refusal(with_bind("/x", "/srv/docker.sock"), profile, engine), "");
    EXPECT_EQ(refusal(with_bind("/x", "/srv/docker.sock"), Profile::compat, engine), "");
    const BundleFacts other = with_source("/srv/agent.sock", SourceKind::socket);
    EXPECT_NE(refusal(with_bind("/x", "/srv/agent.sock"), Profile::strict, other), "");
    EXPECT_EQ(refusal(with_bind("/x", "/srv/agent.sock"), Profile::guarded, other), "");
    // A name does not make a file a socket, nor the engine's folder a socket harmless.
    const BundleFacts file = with_source("/srv/docker.sock", SourceKind::file);
    EXPECT_EQ(refusal(with_bind("/x", "/srv/docker.sock"), Profile::strict, file), "");
    const BundleFacts inside = with_source("/srv/c1d2/agent.sock", SourceKind::socket);
    EXPECT_NE(refusal(with_bind("/x", "/srv/c1d2/agent.sock"), Profile::strict, inside), "");
}

TEST(Rules, what_a_bind_may_carry) {
    for (const Profile profile : {Profile::strict, Profile::guarded}) {
        Spec spec = with_bind("/x", "/srv/x");
        spec.mounts[0].options.attr_clear = MOUNT_ATTR_NOSUID;
        const HardenedSpec out = given(spec, profile, with_source("/srv/x"));
        const MountOptions& o = mount_at(out, "/x").options;
        EXPECT_EQ(o.rec_set & (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV),
                  uint64_t{MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV});
        EXPECT_EQ(o.attr_clear, 0U);
    }
}

TEST(Rules, the_engines_files_are_readonly_and_nobody_elses) {
    const char* const engines = "/var/lib/docker/containers/c1d2/hosts";
    const HardenedSpec out =
        given(with_bind("/etc/hosts", engines), Profile::strict, with_source(engines));
    EXPECT_NE(mount_at(out, "/etc/hosts").options.attr_set & MOUNT_ATTR_RDONLY, 0U);
    const HardenedSpec own =
        given(with_bind("/etc/hosts", "/srv/hosts"), Profile::strict, with_source("/srv/hosts"));
    EXPECT_EQ(mount_at(own, "/etc/hosts").options.attr_set & MOUNT_ATTR_RDONLY, 0U);
}

TEST(Rules, limits_where_there_are_none) {
    const HardenedSpec strict = given(plain());
    const Resources& r = strict.spec().linux.resources;
    EXPECT_EQ(r.pids_limit, 2048);
    ASSERT_TRUE(r.memory);
    EXPECT_EQ(r.memory->limit, int64_t{2} << 30);
    EXPECT_EQ(r.memory->swap, r.memory->limit);
    EXPECT_EQ(r.cpu->shares, 512U);
    const HardenedSpec guarded = given(plain(), Profile::guarded);
    EXPECT_EQ(guarded.spec().linux.resources.pids_limit, 4096);
    EXPECT_FALSE(guarded.spec().linux.resources.memory);

    Spec set = plain();
    set.linux.resources.pids_limit = 10;
    set.linux.resources.memory.emplace().limit = 1 << 20;
    const HardenedSpec kept = given(set);
    EXPECT_EQ(kept.spec().linux.resources.pids_limit, 10);
    EXPECT_EQ(kept.spec().linux.resources.memory->limit, 1 << 20);

    BundleFacts rootless = host();
    rootless.may_limit = false;
    const HardenedSpec none = given(plain(), Profile::strict, rootless);
    EXPECT_FALSE(none.spec().linux.resources.pids_limit);
    EXPECT_TRUE(says(none, "memory", "no limit"));
}

TEST(Rules, rlimits_where_there_are_none) {
    Spec spec = plain();
    spec.process->rlimits = {{RLIMIT_NOFILE, 10, 20}};
    const HardenedSpec out = given(spec);
    const auto& limits = out.spec().process->rlimits;
    EXPECT_EQ(limits.size(), 4U);
    EXPECT_EQ(limits[0].hard, 20U);
    const auto core = std::ranges::find(limits, RLIMIT_CORE, &Rlimit::resource);
    ASSERT_NE(core, limits.end());
    EXPECT_EQ(core->hard, 0U);
    EXPECT_EQ(given(plain(), Profile::guarded).spec().process->rlimits.size(), 1U);
}

TEST(Rules, credentials_in_the_environment) {
    Spec spec = plain();
    spec.process->env = {"A=1", "NPM_TOKEN=0123456789"};
    const HardenedSpec strict = given(spec);
    const std::string removed = "NPM_TOKEN=" + std::string(kRemovedValue);
    EXPECT_EQ(strict.spec().process->env[0], "A=1");
    EXPECT_EQ(strict.spec().process->env[1], removed);
    EXPECT_TRUE(says(strict, "environment", "NPM_TOKEN"));
    EXPECT_FALSE(says(strict, "environment", "0123456789")) << "the log is no place for it either";
    EXPECT_EQ(given(spec, Profile::guarded).spec().process->env[1], "NPM_TOKEN=0123456789");

    // The engine hands an exec the container's own again; what the container does not have was
    // asked for.
    Process exec;
    exec.env = {"NPM_TOKEN=0123456789", "OTHER_TOKEN=0123456789"};
    const auto hardened = harden_exec(exec, strict, kFacts);
    ASSERT_TRUE(hardened);
    EXPECT_EQ(hardened->env[0], removed);
    EXPECT_EQ(hardened->env[1], "OTHER_TOKEN=0123456789");
}

TEST(Rules, masked_and_readonly_paths_are_a_union) {
    for (const Profile profile : {Profile::strict, Profile::guarded}) {
        Spec spec = plain();
        spec.linux.masked_paths = {"/proc/keys", "/own"};
        const HardenedSpec out = given(spec, profile);
        const auto& masked = out.spec().linux.masked_paths;
        EXPECT_EQ(std::ranges::count(masked, "/proc/keys"), 1);
        EXPECT_EQ(std::ranges::count(masked, "/own"), 1);
        EXPECT_EQ(std::ranges::count(masked, "/proc/kcore"), 1);
        EXPECT_EQ(std::ranges::count(out.spec().linux.readonly_paths, "/proc/sys"), 1);
    }
}

TEST(Rules, all_refusals_in_one_line_the_cause_first) {
    Spec spec = with_bind("/x", "/etc");
    CapList all;
    for (uint8_t cap = 0; cap < 41; ++cap)
        all.push_back(cap);
    spec.process->capabilities = Capabilities{all, all, {}, all, {}};
    spec.linux.devices.push_back({.type = 'b', .path = "/dev/sda", .major = 8, .minor = 0});
    const std::string what = refusal(spec, Profile::strict, with_source("/etc"));
    const size_t cause = what.find("privileged");
    EXPECT_NE(cause, std::string::npos) << what;
    EXPECT_LT(cause, what.find("/dev/sda")) << what;
    EXPECT_LT(what.find("/dev/sda"), what.find("mounts[0].source")) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
    EXPECT_NE(what.find("hardrun-guarded"), std::string::npos);
}

}  // namespace
}  // namespace hardrun::config
