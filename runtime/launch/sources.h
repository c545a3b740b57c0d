// SPDX-License-Identifier: Apache-2.0
// What the plan names by path, opened in the caller's namespaces before anything is unshared: the
// root, bind sources, devices, namespaces. From here on only the descriptors are used.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "config/bundle_facts.h"
#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/driver.h"
#include "runtime/plan/plan.h"

namespace hardrun::launch {

struct OpenedMount {
    plan::Mount mount;
    Fd tree;            // bind: the detached tree
    bool file = false;  // bind of something that is no directory
};

struct OpenedDevice {
    plan::Device device;
    Fd tree;
};

struct Sources {
    Fd root;  // the root file system as a detached tree
    std::vector<OpenedMount> mounts;
    std::vector<OpenedDevice> devices;
    std::vector<std::pair<std::string, std::string>> links;
    bool user_namespace = false;  // the container is in another one than we are
};

// `bundle` is where relative paths start. A mount of type cgroup becomes what the host's
// hierarchies need. Errors: policy_denied for a source that is not the object that was judged.
Result<Sources> open_sources(const plan::Plan& plan, const std::string& rootfs, FdRef bundle,
                             const cgroup::Location& groups, const config::BundleFacts& facts);

// open_tree(2) of a host path, detached.
enum class Depth { one, recursive };
Result<Fd> clone_tree(FdRef dir, const std::string& path, Depth depth);

}  // namespace hardrun::launch
