// SPDX-License-Identifier: Apache-2.0
// A property of a systemd unit, and its line on the way to the helper program (hardrun-systemd):
// NAME <tab> D-Bus signature <tab> value <tab> value... Shared by both sides. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun::cgroup {

// Signatures in use: s, b ("true"), t (uint64), as, au, ay (numbers), a(ss) (values in pairs).
struct UnitProperty {
    std::string name;
    std::string signature;
    std::vector<std::string> values;
    bool operator==(const UnitProperty&) const = default;
};

// Errors: bad_config where a value has a tab or a newline.
Result<std::string> property_line(const UnitProperty& property);
Result<UnitProperty> parse_property(std::string_view line);

}  // namespace hardrun::cgroup
