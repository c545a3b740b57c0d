// SPDX-License-Identifier: Apache-2.0
#include "config/read_spec.h"

#include "config/checks.h"
#include "config/readers.h"
#include "config/validate.h"
#include "runtime/base/text.h"

namespace hardrun::config {
namespace {

constexpr uint64_t kNewestMinor = 3;  // the 1.3 this was written against

struct Version {
    uint64_t major = 0;
    uint64_t minor = 0;
};

// MAJOR.MINOR.PATCH with an optional -pre or +build behind it (semver.org 2.0).
std::optional<Version> parse_version(std::string_view text) {
    const auto parts = split(text.substr(0, text.find_first_of("-+")), '.');
    if (parts.size() != 3 || !parse_decimal(parts[2]))
        return std::nullopt;
    const auto major = parse_decimal(parts[0]);
    const auto minor = parse_decimal(parts[1]);
    if (!major || !minor)
        return std::nullopt;
    return Version{*major, *minor};
}

// Minor versions only add (versioning.md): a newer one may ask for something that we do not do, and
// is then told by its unknown keys.
Status read_version(const At& at, Spec& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.oci_version, notes));
    const auto version = parse_version(out.oci_version);
    if (!version || version->major != 1)
        return at.expected("a version 1.x.y of the OCI runtime specification");
    if (version->minor > kNewestMinor)
        at.note(notes, out.oci_version + " is newer than the 1.3 that hardrun knows");
    return {};
}

Status root_path(const At& at, const std::string& path) {
    HARDRUN_CHECK(not_empty(at, path));
    return path_length(at, path);
}

constexpr Field<Root> kRoot[] = {
    {"path", Need::required, checked<&Root::path, root_path>},
    {"readonly", Need::optional, member<&Root::readonly>},
};

Status read_root(const At& at, Spec& out, Notes& notes) {
    return read_fields<Root>(at, kRoot, out.root, notes);
}

constexpr Field<Spec> kSpec[] = {
    {"ociVersion", Need::required, read_version},
    {"process", Need::optional,
     [](const At& at, Spec& out, Notes& notes) { return read(at, out.process.emplace(), notes); }},
    {"root", Need::required, read_root},
    {"hostname", Need::optional, member<&Spec::hostname>},
    {"domainname", Need::optional, member<&Spec::domainname>},
    {"mounts", Need::optional, member<&Spec::mounts>},
    {"hooks", Need::optional, member<&Spec::hooks>},
    {"annotations", Need::optional, member<&Spec::annotations>},
    {"linux", Need::optional, member<&Spec::linux>},
};

}  // namespace

Result<Spec> read_spec(std::string_view json, Notes& notes) {
    HARDRUN_TRY(const json::Value document, json::parse(json));
    const At at{document, nullptr, {}, 0};
    Spec spec;
    HARDRUN_CHECK(read_fields<Spec>(at, kSpec, spec, notes));
    HARDRUN_CHECK(validate(at, spec));
    return spec;
}

Result<Process> read_process(std::string_view json, Notes& notes) {
    HARDRUN_TRY(const json::Value document, json::parse(json));
    Process process;
    HARDRUN_CHECK(read(At{document, nullptr, "process", 0}, process, notes));
    return process;
}

Result<Resources> read_resources(std::string_view json, Notes& notes) {
    HARDRUN_TRY(const json::Value document, json::parse(json));
    Resources resources;
    HARDRUN_CHECK(read(At{document, nullptr, "resources", 0}, resources, notes));
    return resources;
}

}  // namespace hardrun::config
