// SPDX-License-Identifier: Apache-2.0
#include "config/harden.h"

#include <algorithm>
#include <array>

#include "config/baseline.h"
#include "config/hardening.h"
#include "config/secrets.h"

namespace hardrun::config {
namespace {

enum ProfileBits : uint8_t { kStrict = 1, kNet = 2, kGuarded = 4, kHardened = kStrict | kNet };

struct Rule {
    std::string_view id;  // stable: the log, the documentation and the tests name it
    std::string_view about;
    uint8_t profiles;  // compat has none
    void (*apply)(Hardening&);
};

constexpr auto kRules = std::to_array<Rule>({
    {"capabilities", "capabilities in all five sets", kHardened | kGuarded, rule_capabilities},
    {"no-new-privs", "set-uid programs", kHardened | kGuarded, rule_no_new_privs},
    {"host-namespaces", "namespaces shared with the host", kHardened | kGuarded,
     rule_host_namespaces},
    {"devices", "device nodes and the right to open them", kHardened | kGuarded, rule_devices},
    {"bind-sources", "what of the host is mounted in", kHardened | kGuarded, rule_bind_sources},
    {"bind-flags", "set-uid programs and devices below bind mounts", kHardened | kGuarded,
     rule_bind_flags},
    {"engine-files", "/etc/hosts, hostname and resolv.conf of the engine", kHardened,
     rule_engine_files},
    {"sysctls", "kernel parameters", kHardened, rule_sysctls},
    {"environment", "variables that look like credentials", kHardened | kGuarded, rule_environment},
    {"rlimits", "resource limits of the process", kHardened | kGuarded, rule_rlimits},
    {"pids", "number of processes", kHardened | kGuarded, rule_pids},
    {"memory", "memory and swap", kHardened, rule_memory},
    {"cpu", "weight of CPU time", kHardened, rule_cpu},
    {"readonly-root", "the root file system", kHardened, rule_readonly_root},
    {"scratch", "where a program may write", kHardened, rule_scratch},
    {"paths", "masked and read-only paths", kHardened | kGuarded, rule_paths},
    {"network", "what can be reached", kStrict, rule_network},
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

// All in one sentence, in the order of the table: the cause stands first.
Error refused(const std::vector<Refusal>& refusals, Profile profile) {
    std::string what = "refused by the profile " + std::string(name(profile)) + ": ";
    std::string ways;
    for (const Refusal& r : refusals) {
        what += (&r == &refusals.front() ? "" : "; ") + r.where + ": " + r.what;
        if (ways.find(r.way) == std::string::npos)
            ways += (ways.empty() ? "" : ", ") + r.way;
    }
    return {Errc::policy_denied, what + ". To go on: " + ways +
                                     "; or use the runtime hardrun-guarded or hardrun-compat"};
}

}  // namespace

Judgement judge(Spec spec, Profile profile, const KernelFacts& facts, const BundleFacts& bundle) {
    Hardening h(std::move(spec), profile, facts, bundle);
    for (const Rule& rule : kRules) {
        if ((rule.profiles & bits(profile)) == 0)
            continue;
        h.begin(rule.id);
        rule.apply(h);
    }
    return std::move(h).take();
}

std::vector<RuleInfo> rules_of(Profile profile) {
    std::vector<RuleInfo> out;
    out.reserve(kRules.size());
    for (const Rule& rule : kRules)
        out.push_back({rule.id, rule.about, (rule.profiles & bits(profile)) != 0});
    return out;
}

Result<HardenedSpec> harden(Spec spec, Profile profile, const KernelFacts& facts,
                            const BundleFacts& bundle) {
    Judgement judgement = judge(std::move(spec), profile, facts, bundle);
    if (!judgement.refusals.empty())
        return refused(judgement.refusals, profile);
    return std::move(judgement.spec);
}

namespace {

// Engines hand an exec the container's own environment again. What the container was denied stays
// away; a variable that it does not have was asked for.
void remove_again(std::vector<std::string>& env, const std::vector<std::string>& containers) {
    for (std::string& variable : env) {
        const std::string removed =
            variable.substr(0, variable.find('=')) + "=" + std::string(kRemovedValue);
        if (std::ranges::find(containers, removed) != containers.end())
            variable = removed;
    }
}

}  // namespace

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
    remove_again(process.env, own ? own->env : std::vector<std::string>());
    if (bits(container.profile()) != kGuarded && !has_env(process, "TMPDIR"))
        process.env.emplace_back("TMPDIR=/tmp");
    return process;
}

}  // namespace hardrun::config
