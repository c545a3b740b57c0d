// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/plan/plan.h"

namespace hardrun::plan {
namespace {

Identity identity_of(const config::Process& process) {
    Identity out{.user = process.user, .no_new_privs = process.no_new_privileges};
    if (!process.capabilities)
        return out;
    const config::Capabilities& sets = *process.capabilities;
    out.bounding = config::cap_mask(sets.bounding);
    out.effective = config::cap_mask(sets.effective);
    out.permitted = config::cap_mask(sets.permitted);
    out.inheritable = config::cap_mask(sets.inheritable);
    out.ambient = config::cap_mask(sets.ambient);
    return out;
}

// execvp(3)'s search, with the container's PATH. An empty element is the current folder.
void find_candidates(Process& out) {
    const std::string& program = out.args.front();
    if (program.find('/') != std::string::npos) {
        out.candidates = {program};
        return;
    }
    out.searched = true;
    constexpr std::string_view kPath = "PATH=";
    const auto path =
        std::ranges::find_if(out.env.rbegin(), out.env.rend(),
                             [&](const std::string& e) { return e.starts_with(kPath); });
    if (path == out.env.rend() || program.empty())
        return;
    for (const std::string_view folder : split(std::string_view(*path).substr(kPath.size()), ':'))
        out.candidates.push_back((folder.empty() ? std::string(".") : std::string(folder)) + "/" +
                                 program);
}

}  // namespace

Result<Process> plan_process(const config::Process& process, const KernelFacts& facts) {
    Process out;
    out.args = process.args;
    out.env = process.env;
    out.home_missing =
        std::ranges::none_of(out.env, [](const std::string& e) { return e.starts_with("HOME="); });
    out.cwd = process.cwd;
    out.terminal = process.terminal;
    out.console_size = process.console_size.value_or(config::ConsoleSize{});
    out.rlimits = process.rlimits;
    out.oom_score_adj = process.oom_score_adj;
    out.identity = identity_of(process);
    if (process.apparmor_profile && !process.apparmor_profile->empty()) {
        if (!facts.apparmor)
            return Error(Errc::unsupported,
                         "process.apparmorProfile: AppArmor is not enabled on this host, so '" +
                             *process.apparmor_profile +
                             "' cannot be applied; remove it or boot with AppArmor");
        out.apparmor_exec = "exec " + *process.apparmor_profile;
    }
    if (process.selinux_label && !process.selinux_label->empty()) {
        if (!facts.selinux)
            return Error(Errc::unsupported,
                         "process.selinuxLabel: selinux is disabled or not supported on this host");
        out.selinux_exec = *process.selinux_label;
    }
    find_candidates(out);
    return out;
}

}  // namespace hardrun::plan
