// SPDX-License-Identifier: Apache-2.0
// The parts of make_plan, one file each.
#pragma once

#include "runtime/plan/plan.h"

namespace hardrun::plan {

Result<Namespaces> plan_namespaces(const config::Linux& linux);
Result<std::vector<Mount>> plan_mounts(const config::Spec& spec, config::NetworkPlace network);
std::vector<Device> plan_devices(const config::Linux& linux);
std::vector<std::pair<std::string, std::string>> plan_links(const KernelFacts& facts);
std::vector<Sysctl> plan_sysctls(const config::Linux& linux);

// Whether hardrun fills /dev: not where it is a bind mount of the user's.
bool fills_dev(const config::Spec& spec);

// A path of the container as one below its root: cleaned, without the leading slash.
std::string below_root(const std::string& path);

}  // namespace hardrun::plan
