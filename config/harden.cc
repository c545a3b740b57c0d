// SPDX-License-Identifier: Apache-2.0
#include "config/harden.h"

#include <linux/capability.h>
#include <linux/mount.h>

#include <algorithm>
#include <array>
#include <optional>

#include "config/baseline.h"
#include "config/names.h"

namespace hardrun::config {

// The pen that may write into a HardenedSpec; the rules below are handed this and nothing else.
class Hardening {
  public:
    Hardening(Spec spec, Profile profile, const KernelFacts& facts)
        : out_(std::move(spec), profile), facts_(facts) {}

    Spec& spec() { return out_.spec_; }
    Profile profile() const { return out_.profile_; }
    const KernelFacts& facts() const { return facts_; }
    void use_cell() { out_.network_ = NetworkPlace::cell; }
    void note(std::string_view rule, std::string what) {
        out_.findings_.push_back({rule, std::move(what)});
    }
    HardenedSpec take() && { return std::move(out_); }

  private:
    HardenedSpec out_;
    const KernelFacts& facts_;
};

namespace {

constexpr uint64_t bit(unsigned cap) {
    return uint64_t{1} << cap;
}

// What programs of a service never need; guarded takes it even where the engine gave it.
constexpr uint64_t kGuardedDrops = bit(CAP_NET_RAW) | bit(CAP_MKNOD) | bit(CAP_AUDIT_WRITE) |
                                   bit(CAP_SETFCAP) | bit(CAP_SETPCAP) | bit(CAP_SYS_CHROOT);

std::string cap_names(uint64_t caps) {
    std::string out;
    for (uint8_t cap = 0; cap < 64; ++cap)
        if ((caps & bit(cap)) != 0)
            out.append(out.empty() ? "" : ", ").append(capability_name(cap));
    return out;
}

void keep_only(CapList& list, uint64_t caps) {
    std::erase_if(list, [caps](uint8_t cap) { return (caps & bit(cap)) == 0; });
}

void keep_only(Capabilities& sets, uint64_t caps) {
    for (CapList* list :
         {&sets.bounding, &sets.effective, &sets.inheritable, &sets.permitted, &sets.ambient})
        keep_only(*list, caps);
}

uint64_t all_listed(const Capabilities& sets) {
    return cap_mask(sets.bounding) | cap_mask(sets.effective) | cap_mask(sets.inheritable) |
           cap_mask(sets.permitted) | cap_mask(sets.ambient);
}

// The capabilities of the profile out of those listed, or the refusal.
Result<uint64_t> allowed_caps(const Capabilities& sets, Profile profile) {
    CapVerdict verdict = judge_caps(sets.bounding);
    verdict.beyond |= all_listed(sets) & ~cap_mask(sets.bounding);
    if (profile == Profile::guarded)
        return (verdict.wished | (verdict.unasked & ~kGuardedDrops) | verdict.beyond);
    if (verdict.beyond != 0)
        return Error(Errc::policy_denied,
                     "process.capabilities.bounding: " + cap_names(verdict.beyond) +
                         " is more than the " + std::string(verdict.engine) +
                         " baseline, and the profile " + std::string(name(profile)) +
                         " refuses that; ask for less, or use the runtime hardrun-guarded or "
                         "hardrun-compat");
    return verdict.wished;
}

Status capabilities(Hardening& h) {
    if (!h.spec().process || !h.spec().process->capabilities)
        return {};  // no list: no capabilities
    Capabilities& sets = *h.spec().process->capabilities;
    const uint64_t listed = all_listed(sets);
    HARDRUN_TRY(const uint64_t allowed, allowed_caps(sets, h.profile()));
    if (const uint64_t taken = listed & ~allowed; taken != 0)
        h.note("capabilities", "taken, since nobody asked for them: " + cap_names(taken));
    // A bounding set can only be kept by who has it; strict and guarded take what there is.
    if (const uint64_t missing = listed & allowed & ~h.facts().bounding; missing != 0)
        h.note("capabilities", "not available on this host: " + cap_names(missing));
    keep_only(sets, allowed & h.facts().bounding);
    return {};
}

// A limit above our own takes CAP_SYS_RESOURCE; where that is missing, ours is what there is.
bool lower_rlimits(std::vector<Rlimit>& limits, const KernelFacts& facts) {
    if ((facts.bounding & bit(CAP_SYS_RESOURCE)) != 0)
        return false;
    bool lowered = false;
    for (Rlimit& limit : limits) {
        const uint64_t most = facts.rlimit_hard.at(static_cast<size_t>(limit.resource));
        lowered = lowered || limit.hard > most;
        limit.hard = std::min(limit.hard, most);
        limit.soft = std::min(limit.soft, most);
    }
    return lowered;
}

Status rlimits(Hardening& h) {
    if (h.spec().process && lower_rlimits(h.spec().process->rlimits, h.facts()))
        h.note("rlimits", "lowered to this host's, since CAP_SYS_RESOURCE is missing");
    return {};
}

Status no_new_privs(Hardening& h) {
    if (!h.spec().process || std::exchange(h.spec().process->no_new_privileges, true))
        return {};
    h.note("no-new-privs", "switched on: set-uid programs do not raise privileges");
    return {};
}

Status readonly_root(Hardening& h) {
    if (!std::exchange(h.spec().root.readonly, true))
        h.note("readonly-root", "the root file system is read-only");
    return {};
}

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

bool has_env(const Process& process, std::string_view name) {
    const std::string prefix = std::string(name) + "=";
    return std::ranges::any_of(process.env,
                               [&](const std::string& e) { return e.starts_with(prefix); });
}

// First in the list, so that what the engine mounts below /run still finds its place.
Status scratch(Hardening& h) {
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
        h.note("scratch", std::string(row.path) + " is a scratch mount");
    }
    if (spec.process && !has_env(*spec.process, "TMPDIR"))
        spec.process->env.emplace_back("TMPDIR=/tmp");
    return {};
}

// A namespace that config.json does not list is the host's.
Status host_namespaces(Hardening& h) {
    constexpr NamespaceType kKinds[] = {NamespaceType::pid, NamespaceType::network,
                                        NamespaceType::ipc, NamespaceType::uts,
                                        NamespaceType::mount};
    auto& listed = h.spec().linux.namespaces;
    for (const NamespaceType kind : kKinds) {
        if (std::ranges::find(listed, kind, &Namespace::type) != listed.end())
            continue;
        const std::string name(namespace_name(kind));
        if (h.profile() == Profile::guarded) {
            h.note("host-namespaces", "the container shares the host's " + name + " namespace");
            continue;
        }
        return Error(Errc::policy_denied,
                     "linux.namespaces: the host's " + name +
                         " namespace would be shared, and the profile " +
                         std::string(config::name(h.profile())) +
                         " refuses that; leave out the option that asks for it, or use the "
                         "runtime hardrun-guarded or hardrun-compat");
    }
    if (std::ranges::find(listed, NamespaceType::cgroup, &Namespace::type) == listed.end() &&
        h.profile() != Profile::guarded) {
        listed.push_back({.type = NamespaceType::cgroup, .path = {}});
        h.note("host-namespaces", "a cgroup namespace was added");
    }
    return {};
}

Status network_cell(Hardening& h) {
    h.use_cell();
    h.note("network", "the program runs in a network cell: loopback only");
    return {};
}

enum ProfileBits : uint8_t { kStrict = 1, kNet = 2, kGuarded = 4, kHardened = kStrict | kNet };

struct Rule {
    std::string_view id;  // stable: the log, the documentation and the tests name it
    uint8_t profiles;     // compat has none
    Status (*apply)(Hardening&);
};

constexpr auto kRules = std::to_array<Rule>({
    {"capabilities", kHardened | kGuarded, capabilities},
    {"no-new-privs", kHardened | kGuarded, no_new_privs},
    {"rlimits", kHardened | kGuarded, rlimits},
    {"readonly-root", kHardened, readonly_root},
    {"scratch", kHardened, scratch},
    {"host-namespaces", kHardened | kGuarded, host_namespaces},
    {"network", kStrict, network_cell},
});

uint8_t bits(Profile profile) {
    switch (profile) {
        case Profile::strict:
            return kStrict;
        case Profile::net:
            return kNet;
        case Profile::guarded:
            return kGuarded;
        case Profile::compat:
            return 0;
    }
    return kStrict;
}

}  // namespace

Result<HardenedSpec> harden(Spec spec, Profile profile, const KernelFacts& facts) {
    Hardening h(std::move(spec), profile, facts);
    for (const Rule& rule : kRules)
        if ((rule.profiles & bits(profile)) != 0)
            HARDRUN_CHECK(rule.apply(h));
    return std::move(h).take();
}

Result<Process> harden_exec(Process process, const HardenedSpec& container,
                            const KernelFacts& facts) {
    if (container.profile() == Profile::compat)
        return process;
    const auto& own = container.spec().process;
    const uint64_t has = own && own->capabilities ? all_listed(*own->capabilities) : 0;
    Capabilities sets = process.capabilities.value_or(Capabilities{});
    const uint64_t beyond =
        (judge_caps(sets.bounding).beyond | (all_listed(sets) & ~cap_mask(sets.bounding))) & ~has;
    if (beyond != 0)
        return Error(Errc::policy_denied, "process.capabilities: " + cap_names(beyond) +
                                              " is more than the container has, and its profile " +
                                              std::string(name(container.profile())) +
                                              " refuses that for exec as well; start the container "
                                              "with hardrun-compat to allow it");
    keep_only(sets, has & facts.bounding);
    process.capabilities = sets;
    process.no_new_privileges = true;
    (void)lower_rlimits(process.rlimits, facts);  // said at create
    if (bits(container.profile()) != kGuarded && !has_env(process, "TMPDIR"))
        process.env.emplace_back("TMPDIR=/tmp");
    return process;
}

}  // namespace hardrun::config
