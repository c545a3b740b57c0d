// SPDX-License-Identifier: Apache-2.0
// config.md, "Mounts".
#include "config/checks.h"
#include "config/readers.h"
#include "runtime/base/text.h"

namespace hardrun::config {
namespace {

// A relative destination is deprecated and means "from the root"; ".." cannot climb above it.
Status read_destination(const At& at, Mount& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.destination, notes));
    HARDRUN_CHECK(not_empty(at, out.destination));
    HARDRUN_CHECK(path_length(at, out.destination));
    if (!out.destination.starts_with('/'))
        at.note(notes, "a relative destination is deprecated, taken from the container's root");
    out.destination = clean_path("/" + out.destination);
    return {};
}

Status read_options(const At& at, Mount& out, Notes& notes) {
    std::vector<std::string> options;
    HARDRUN_CHECK(read(at, options, notes));
    HARDRUN_TRY(out.options, parse_mount_options(options).context(at.path()));
    return {};
}

constexpr Field<Mount> kMount[] = {
    {"destination", Need::required, read_destination},
    {"type", Need::optional, member<&Mount::type>},
    {"source", Need::optional, checked<&Mount::source, path_length>},
    {"options", Need::optional, read_options},
    {"uidMappings", Need::not_supported, nullptr},
    {"gidMappings", Need::not_supported, nullptr},
};

}  // namespace

// A bind mount is told by its options; its type is a dummy. A type "bind" without them can mean
// nothing else.
Status read(const At& at, Mount& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<Mount>(at, kMount, out, notes));
    out.json_path = at.path();
    if (out.type == "bind")
        out.options.bind = true;
    if (out.options.bind && out.source.empty())
        return at.wrong("a bind mount without a source");
    if (!out.options.bind && (out.type.empty() || out.type == "none"))
        return at.wrong("has no type, and its options do not say bind");
    return {};
}

}  // namespace hardrun::config
