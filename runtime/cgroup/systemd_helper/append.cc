// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/text.h"
#include "runtime/cgroup/systemd_helper/manager.h"

namespace hardrun::systemd_helper {
namespace {

using Values = std::vector<std::string>;

Error malformed(const UnitProperty& property) {
    return Error(Errc::bad_config, "property " + property.name + ": values do not fit signature '" +
                                       property.signature + "'");
}

Result<uint64_t> number(const UnitProperty& property, const std::string& text, uint64_t max) {
    const auto value = parse_decimal(text, max);
    if (!value)
        return malformed(property);
    return *value;
}

Status append_basic(sd_bus_message* message, const UnitProperty& property) {
    if (property.values.size() != 1)
        return malformed(property);
    const std::string& value = property.values[0];
    if (property.signature == "s")
        return checked(sd_bus_message_append(message, "s", value.c_str()), property.name);
    if (property.signature == "b")
        return checked(sd_bus_message_append(message, "b", value == "true" ? 1 : 0), property.name);
    HARDRUN_TRY(const uint64_t wide, number(property, value, UINT64_MAX));
    return checked(sd_bus_message_append(message, "t", wide), property.name);
}

Status append_element(sd_bus_message* message, const UnitProperty& property, size_t at) {
    const std::string& value = property.values[at];
    const std::string& name = property.name;
    if (property.signature == "as")
        return checked(sd_bus_message_append(message, "s", value.c_str()), name);
    if (property.signature == "a(ss)")
        return checked(
            sd_bus_message_append(message, "(ss)", value.c_str(), property.values[at + 1].c_str()),
            name);
    if (property.signature == "ay") {
        HARDRUN_TRY(const uint64_t byte, number(property, value, UINT8_MAX));
        return checked(sd_bus_message_append(message, "y", static_cast<int>(byte)), name);
    }
    HARDRUN_TRY(const uint64_t word, number(property, value, UINT32_MAX));
    return checked(sd_bus_message_append(message, "u", static_cast<uint32_t>(word)), name);
}

Status append_array(sd_bus_message* message, const UnitProperty& property) {
    const size_t step = property.signature == "a(ss)" ? 2 : 1;
    if (property.values.size() % step != 0)
        return malformed(property);
    const char* element = property.signature.c_str() + 1;
    HARDRUN_CHECK(checked(sd_bus_message_open_container(message, 'a', element), property.name));
    for (size_t i = 0; i < property.values.size(); i += step)
        HARDRUN_CHECK(append_element(message, property, i));
    return checked(sd_bus_message_close_container(message), property.name);
}

Status append_one(sd_bus_message* message, const UnitProperty& property) {
    const std::string& signature = property.signature;
    const std::string& name = property.name;
    const bool basic = signature == "s" || signature == "b" || signature == "t";
    const bool array =
        signature == "as" || signature == "au" || signature == "ay" || signature == "a(ss)";
    if (!basic && !array)
        return Error(Errc::bad_config, "property " + name + ": signature '" + signature +
                                           "' is none of s, b, t, as, au, ay, a(ss)");
    HARDRUN_CHECK(checked(sd_bus_message_open_container(message, 'r', "sv"), name));
    HARDRUN_CHECK(checked(sd_bus_message_append(message, "s", name.c_str()), name));
    HARDRUN_CHECK(checked(sd_bus_message_open_container(message, 'v', signature.c_str()), name));
    HARDRUN_CHECK(basic ? append_basic(message, property) : append_array(message, property));
    HARDRUN_CHECK(checked(sd_bus_message_close_container(message), name));
    return checked(sd_bus_message_close_container(message), name);
}

}  // namespace

Status append_properties(sd_bus_message* message, const std::vector<UnitProperty>& properties) {
    HARDRUN_CHECK(checked(sd_bus_message_open_container(message, 'a', "(sv)"), "properties"));
    for (const UnitProperty& property : properties)
        HARDRUN_CHECK(append_one(message, property));
    return checked(sd_bus_message_close_container(message), "properties");
}

}  // namespace hardrun::systemd_helper
