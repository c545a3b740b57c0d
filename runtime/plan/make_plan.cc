// SPDX-License-Identifier: Apache-2.0
#include <linux/sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>

#include "runtime/base/text.h"
#include "runtime/plan/parts.h"

namespace hardrun::plan {
namespace {

// Always for the whole tree, as runc reads it: the reader has taken a leading "r" off.
uint64_t propagation_of(const std::string& name) {
    if (name == "shared")
        return MS_SHARED | MS_REC;
    if (name == "slave")
        return MS_SLAVE | MS_REC;
    if (name == "unbindable")
        return MS_UNBINDABLE | MS_REC;
    return name == "private" ? MS_PRIVATE | MS_REC : 0;
}

std::vector<std::string> below_root(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    out.reserve(paths.size());
    for (const std::string& path : paths)
        out.push_back(plan::below_root(path));
    return out;
}

}  // namespace

std::string below_root(const std::string& path) {
    const std::string clean = clean_path("/" + path);
    return clean == "/" ? "." : clean.substr(1);
}

Result<Plan> make_plan(const config::HardenedSpec& hardened, const KernelFacts& facts) {
    const config::Spec& spec = hardened.spec();
    Plan plan;
    plan.network = hardened.network();
    HARDRUN_TRY(plan.namespaces, plan_namespaces(spec.linux));
    plan.readonly_root = spec.root.readonly;
    // The new mount namespace starts as a copy of the host's; nothing done in it may travel back. A
    // slave still receives what the host mounts, as with runc, unless privacy was asked for.
    plan.root_propagation = propagation_of(spec.linux.rootfs_propagation);
    plan.host_propagation =
        MS_REC | ((plan.root_propagation & MS_PRIVATE) != 0 ? MS_PRIVATE : MS_SLAVE);
    HARDRUN_TRY(plan.mounts, plan_mounts(spec, plan.network));
    if (fills_dev(spec)) {
        plan.devices = plan_devices(spec.linux);
        plan.links = plan_links(facts);
    }
    plan.sysctls = plan_sysctls(spec.linux);
    plan.readonly_paths = below_root(spec.linux.readonly_paths);
    plan.masked_paths = below_root(spec.linux.masked_paths);
    plan.hostname = spec.hostname;
    plan.domainname = spec.domainname;
    if (spec.process) {
        HARDRUN_TRY(plan.process, plan_process(*spec.process, facts));
    }
    return plan;
}

}  // namespace hardrun::plan
