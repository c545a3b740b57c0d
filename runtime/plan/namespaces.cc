// SPDX-License-Identifier: Apache-2.0
#include <linux/sched.h>

#include <algorithm>

#include "runtime/plan/parts.h"

namespace hardrun::plan {
namespace {

uint64_t clone_flag(config::NamespaceType type) {
    switch (type) {
        case config::NamespaceType::pid:
            return CLONE_NEWPID;
        case config::NamespaceType::network:
            return CLONE_NEWNET;
        case config::NamespaceType::mount:
            return CLONE_NEWNS;
        case config::NamespaceType::ipc:
            return CLONE_NEWIPC;
        case config::NamespaceType::uts:
            return CLONE_NEWUTS;
        case config::NamespaceType::user:
            return CLONE_NEWUSER;
        case config::NamespaceType::cgroup:
            return CLONE_NEWCGROUP;
        case config::NamespaceType::time:
            return CLONE_NEWTIME;
    }
    return 0;
}

}  // namespace

Result<Namespaces> plan_namespaces(const config::Linux& linux) {
    Namespaces out;
    bool mount = false;
    for (size_t i = 0; i < linux.namespaces.size(); ++i) {
        const config::Namespace& ns = linux.namespaces[i];
        const uint64_t flag = clone_flag(ns.type);
        mount = mount || flag == CLONE_NEWNS;
        if (ns.path.empty())
            out.created |= flag;
        else
            out.joined.push_back(
                {flag, ns.path, "linux.namespaces[" + std::to_string(i) + "].path"});
    }
    if (!mount)
        return Error(Errc::unsupported,
                     "linux.namespaces: no mount namespace: hardrun does not prepare a root file "
                     "system in the "
                     "host's own; add {\"type\": \"mount\"}");
    // The user namespace owns the others, and the pid namespace takes a fork of its own.
    std::ranges::stable_sort(out.joined, [](const NamespaceJoin& a, const NamespaceJoin& b) {
        return a.type == CLONE_NEWUSER && b.type != CLONE_NEWUSER;
    });
    out.uid_map = linux.uid_mappings;
    out.gid_map = linux.gid_mappings;
    return out;
}

}  // namespace hardrun::plan
