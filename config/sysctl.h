// SPDX-License-Identifier: Apache-2.0
// Which kernel parameters a container may have of its own. Decided by table: a key is never turned
// into a path before it is known to be one of these (CVE-2022-0811 and its relatives).
#pragma once

#include <string>

#include "config/fields.h"
#include "config/spec.h"

namespace hardrun::config {

// Replaces each key by its one spelling, the path below /proc/sys with '/' between the parts, which
// keeps the dots of interface names: "net/ipv4/conf/eth0.1/forwarding". Error: linux.sysctl["KEY"].
Status check_sysctls(const At& at, Linux& out);

}  // namespace hardrun::config
