// SPDX-License-Identifier: Apache-2.0
// What becomes of one config.json under every profile, as text that people can read and compare.
#pragma once

#include <string>
#include <string_view>

namespace hardrun::test {

// A JSON object with a member for each profile: the refusal, or the plan.
std::string outcomes(std::string_view config_json);

}  // namespace hardrun::test
