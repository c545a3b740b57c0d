// SPDX-License-Identifier: Apache-2.0
// Rules about the process: its capabilities, limits and environment.
#include <linux/capability.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>

#include "config/baseline.h"
#include "config/hardening.h"
#include "config/names.h"
#include "config/secrets.h"

namespace hardrun::config {
namespace {

constexpr uint64_t bit(unsigned cap) {
    return uint64_t{1} << cap;
}

// What programs of a service never need; guarded takes it even where the engine gave it.
constexpr uint64_t kGuardedDrops = bit(CAP_NET_RAW) | bit(CAP_MKNOD) | bit(CAP_AUDIT_WRITE) |
                                   bit(CAP_SETFCAP) | bit(CAP_SETPCAP) | bit(CAP_SYS_CHROOT);

void keep_only(CapList& list, uint64_t caps) {
    std::erase_if(list, [caps](uint8_t cap) { return (caps & bit(cap)) == 0; });
}

// docker and podman --privileged: everything listed, and nothing masked.
bool is_privileged(const Spec& spec, uint64_t beyond) {
    constexpr int kMany = 16;
    return std::popcount(beyond) >= kMany && spec.linux.masked_paths.empty();
}

void refuse_caps(Hardening& h, const CapVerdict& verdict) {
    if (is_privileged(h.spec(), verdict.beyond)) {
        h.refuse("process.capabilities.bounding",
                 "the container is privileged: all capabilities, no masked paths",
                 "leave out --privileged");
        return;
    }
    h.refuse("process.capabilities.bounding",
             cap_names(verdict.beyond) + " is more than the " + std::string(verdict.engine) +
                 " baseline",
             "leave out the option that adds it");
}

constexpr uint64_t kKiB = 1024;

struct DefaultLimit {
    int resource;
    uint64_t value;
    bool guarded;  // too
};
constexpr auto kDefaultLimits = std::to_array<DefaultLimit>({
    {RLIMIT_CORE, 0, true},
    {RLIMIT_NOFILE, 65536, false},
    {RLIMIT_MEMLOCK, 64 * kKiB, false},
    {RLIMIT_MSGQUEUE, 0, false},
});

}  // namespace

std::string cap_names(uint64_t caps) {
    std::string out;
    for (uint8_t cap = 0; cap < 64; ++cap)
        if ((caps & bit(cap)) != 0)
            out.append(out.empty() ? "" : ", ").append(capability_name(cap));
    return out;
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

bool has_env(const Process& process, std::string_view name) {
    const std::string prefix = std::string(name) + "=";
    return std::ranges::any_of(process.env,
                               [&](const std::string& e) { return e.starts_with(prefix); });
}

void rule_capabilities(Hardening& h) {
    if (!h.spec().process || !h.spec().process->capabilities)
        return;  // no list: no capabilities
    Capabilities& sets = *h.spec().process->capabilities;
    const uint64_t listed = all_listed(sets);
    CapVerdict verdict = judge_caps(sets.bounding);
    verdict.beyond |= listed & ~cap_mask(sets.bounding);
    uint64_t allowed = verdict.wished;
    if (!h.refuses())
        allowed |= (verdict.unasked & ~kGuardedDrops) | verdict.beyond;
    if (verdict.beyond != 0 && h.refuses())
        refuse_caps(h, verdict);
    else if (verdict.beyond != 0)
        h.note("kept, more than the " + std::string(verdict.engine) +
               " baseline: " + cap_names(verdict.beyond));
    if (const uint64_t taken = listed & ~allowed & ~verdict.beyond; taken != 0)
        h.note("taken, since nobody asked for them: " + cap_names(taken));
    // A bounding set can only be kept by who has it; strict and guarded take what there is.
    if (const uint64_t missing = listed & allowed & ~h.facts().bounding; missing != 0)
        h.note("not available on this host: " + cap_names(missing));
    keep_only(sets, allowed & h.facts().bounding);
}

void rule_no_new_privs(Hardening& h) {
    if (h.spec().process && !std::exchange(h.spec().process->no_new_privileges, true))
        h.note("switched on: set-uid programs do not raise privileges");
}

void rule_rlimits(Hardening& h) {
    if (!h.spec().process)
        return;
    std::vector<Rlimit>& limits = h.spec().process->rlimits;
    std::string added;
    for (const DefaultLimit& limit : kDefaultLimits) {
        if ((!h.refuses() && !limit.guarded) ||
            std::ranges::find(limits, limit.resource, &Rlimit::resource) != limits.end())
            continue;
        limits.push_back({limit.resource, limit.value, limit.value});
        added.append(added.empty() ? "" : ", ").append(rlimit_name(limit.resource));
        added.append(" ").append(std::to_string(limit.value));
    }
    if (!added.empty())
        h.note("set, since config.json has none: " + added);
    if (lower_rlimits(limits, h.facts()))
        h.note("lowered to this host's, since CAP_SYS_RESOURCE is missing");
}

// An image or an engine may hand over what was meant for the one who started it.
void rule_environment(Hardening& h) {
    if (!h.spec().process)
        return;
    for (std::string& variable : h.spec().process->env) {
        const size_t equals = variable.find('=');
        const std::string name = variable.substr(0, equals);
        if (equals == std::string::npos ||
            !looks_like_credential(name, std::string_view(variable).substr(equals + 1)))
            continue;
        if (h.refuses())
            variable = name + "=" + std::string(kRemovedValue);
        h.note(name + (h.refuses() ? " was replaced: it looks like a credential"
                                   : " looks like a credential"));
    }
}

}  // namespace hardrun::config
