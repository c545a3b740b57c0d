// SPDX-License-Identifier: Apache-2.0
#include "config/profiles.h"

#include <array>
#include <string>

namespace hardrun::config {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"strict", "net", "guarded", "compat"};

}  // namespace

std::string_view name(Profile profile) {
    return kNames.at(static_cast<size_t>(profile));
}

Result<Profile> parse_profile(std::string_view name) {
    for (size_t i = 0; i < kNames.size(); ++i)
        if (kNames.at(i) == name)
            return static_cast<Profile>(i);
    return Error(Errc::bad_config, "profile '" + std::string(name) +
                                       "' is not known: expected strict, net, guarded or compat");
}

Result<Profile> profile_of_program(std::string_view argv0) {
    const std::string_view program = argv0.substr(argv0.rfind('/') + 1);
    if (program == "runc" || program == "crun")
        return Profile::compat;
    constexpr std::string_view kPrefix = "hardrun-";
    if (!program.starts_with(kPrefix))
        return Profile::strict;
    return parse_profile(program.substr(kPrefix.size()))
        .context("started as " + std::string(program));
}

}  // namespace hardrun::config
