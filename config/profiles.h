// SPDX-License-Identifier: Apache-2.0
// The named levels of hardening (what each means stands in the README's table of profiles).
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/result.h"

namespace hardrun::config {

enum class Profile : uint8_t { strict, net, guarded, compat };

std::string_view name(Profile profile);

// Errors: bad_config for a name that is none of the profiles.
Result<Profile> parse_profile(std::string_view name);

// The profile that the program's own name asks for: hardrun-NAME names one, runc and crun mean
// compat, anything else is strict. Errors: bad_config for an unknown hardrun-NAME.
Result<Profile> profile_of_program(std::string_view argv0);

}  // namespace hardrun::config
