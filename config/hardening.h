// SPDX-License-Identifier: Apache-2.0
// What a rule of the table gets: the pen that may write into a HardenedSpec, and the facts.
// Included by harden.cc and the rules_*.cc only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/harden.h"

namespace hardrun::config {

class Hardening {
  public:
    Hardening(Spec spec, Profile profile, const KernelFacts& facts, const BundleFacts& bundle)
        : out_(std::move(spec), profile), facts_(facts), bundle_(bundle) {}

    Spec& spec() { return out_.spec_; }
    Profile profile() const { return out_.profile_; }
    // guarded keeps, and says so, what strict and net refuse.
    bool refuses() const { return out_.profile_ != Profile::guarded; }
    const KernelFacts& facts() const { return facts_; }
    const BundleFacts& bundle() const { return bundle_; }

    void begin(std::string_view rule) { rule_ = rule; }
    void use_cell() { out_.network_ = NetworkPlace::cell; }
    void note(std::string what) { out_.findings_.push_back({rule_, std::move(what)}); }
    void refuse(std::string where, std::string what, std::string way) {
        refusals_.push_back({rule_, std::move(where), std::move(what), std::move(way)});
    }
    // Refused by strict and net, noted by guarded.
    void refuse_or_note(std::string where, std::string what, std::string way) {
        if (refuses())
            refuse(std::move(where), std::move(what), std::move(way));
        else
            note(where + ": " + what);
    }

    Judgement take() && { return {std::move(out_), std::move(refusals_)}; }

  private:
    HardenedSpec out_;
    const KernelFacts& facts_;
    const BundleFacts& bundle_;
    std::string_view rule_;
    std::vector<Refusal> refusals_;
};

// rules_process.cc
void rule_capabilities(Hardening&);
void rule_no_new_privs(Hardening&);
void rule_rlimits(Hardening&);
void rule_environment(Hardening&);
// rules_files.cc
void rule_readonly_root(Hardening&);
void rule_scratch(Hardening&);
void rule_paths(Hardening&);
// rules_binds.cc
void rule_bind_sources(Hardening&);
void rule_bind_flags(Hardening&);
void rule_engine_files(Hardening&);
// rules_kernel.cc
void rule_host_namespaces(Hardening&);
void rule_network(Hardening&);
void rule_devices(Hardening&);
void rule_sysctls(Hardening&);
// rules_limits.cc
void rule_pids(Hardening&);
void rule_memory(Hardening&);
void rule_cpu(Hardening&);

// ---- shared with exec ---------------------------------------------------------------------------

std::string cap_names(uint64_t caps);
uint64_t all_listed(const Capabilities& sets);
void keep_only(Capabilities& sets, uint64_t caps);
bool lower_rlimits(std::vector<Rlimit>& limits, const KernelFacts& facts);
bool has_env(const Process& process, std::string_view name);

}  // namespace hardrun::config
