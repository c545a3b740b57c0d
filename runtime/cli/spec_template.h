// SPDX-License-Identifier: Apache-2.0
// The config.json of `spec`: what runc's `spec` writes, so that its users find what they know.
#pragma once

#include <cstdint>
#include <string>

namespace hardrun::cli {

std::string default_spec();

// For an ordinary user: a user namespace with one id, no cgroup, no network namespace, /sys by
// bind.
std::string rootless_spec(uint32_t uid, uint32_t gid);

}  // namespace hardrun::cli
