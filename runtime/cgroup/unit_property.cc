// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/unit_property.h"

#include "runtime/base/text.h"

namespace hardrun::cgroup {

Result<std::string> property_line(const UnitProperty& property) {
    std::string line = property.name + "\t" + property.signature;
    for (const std::string& value : property.values) {
        if (value.find_first_of("\t\n") != std::string::npos)
            return Error(Errc::bad_config, "systemd property " + property.name +
                                               ": a value has a tab or a newline in it");
        line += "\t" + value;
    }
    return line + "\n";
}

Result<UnitProperty> parse_property(std::string_view line) {
    const auto words = split(line, '\t');
    if (words.size() < 2 || words[0].empty() || words[1].empty())
        return Error(Errc::bad_config, "property line '" + std::string(line) +
                                           "': expected NAME, signature and values between tabs");
    UnitProperty property{std::string(words[0]), std::string(words[1]), {}};
    for (size_t i = 2; i < words.size(); ++i)
        property.values.emplace_back(words[i]);
    return property;
}

}  // namespace hardrun::cgroup
