// SPDX-License-Identifier: Apache-2.0
// Spec -> HardenedSpec: what a profile makes of what the engine wrote. A HardenedSpec can be made
// only here, so no way to create, exec or update passes the profile by. Pure: no system calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/bundle_facts.h"
#include "config/profiles.h"
#include "config/spec.h"
#include "runtime/base/facts.h"
#include "runtime/base/result.h"

namespace hardrun::config {

enum class NetworkPlace : uint8_t {
    engine,  // where config.json says
    cell,    // a network namespace of its own beside the engine's
};

struct Finding {
    std::string_view rule;  // stable id, as in the rule table
    std::string what;       // one sentence for the log
};

// What a profile does not give, said to the person who asked for it.
struct Refusal {
    std::string_view rule;
    std::string where;  // JSON path
    std::string what;
    std::string way;  // what to leave out
};

class HardenedSpec {
  public:
    const Spec& spec() const { return spec_; }
    Profile profile() const { return profile_; }
    NetworkPlace network() const { return network_; }
    const std::vector<Finding>& findings() const { return findings_; }

  private:
    friend class Hardening;
    explicit HardenedSpec(Spec spec, Profile profile) : spec_(std::move(spec)), profile_(profile) {}
    Spec spec_;
    Profile profile_;
    NetworkPlace network_ = NetworkPlace::engine;
    std::vector<Finding> findings_;
};

// What every rule has to say, refusals included: what `explain` prints.
struct Judgement {
    HardenedSpec spec;
    std::vector<Refusal> refusals;
};
Judgement judge(Spec spec, Profile profile, const KernelFacts& facts, const BundleFacts& bundle);

struct RuleInfo {
    std::string_view id;
    std::string_view about;
    bool applies;  // in the profile asked about
};
// The rule table in its order.
std::vector<RuleInfo> rules_of(Profile profile);

// judge(), for those who go on. Errors: policy_denied; one line with the JSON path of each refusal,
// what was asked for, and the ways to go on.
Result<HardenedSpec> harden(Spec spec, Profile profile, const KernelFacts& facts,
                            const BundleFacts& bundle);

// A further process for a container that `container` describes, by the same rules. Capabilities
// that the engine put there by itself are reduced to the container's; more than those is refused
// but in compat.
Result<Process> harden_exec(Process process, const HardenedSpec& container,
                            const KernelFacts& facts);

}  // namespace hardrun::config
