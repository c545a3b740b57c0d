// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/file.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/cli/update_options.h"
#include "runtime/launch/container.h"

namespace hardrun::cli {
namespace {

constexpr size_t kMaxDocument = 1 << 20;

Result<std::string> read_document(const std::string& path) {
    if (path == "-")
        return read_all(FdRef::borrowed(STDIN_FILENO), "standard input", kMaxDocument);
    return read_file(FdRef::cwd(), path, kMaxDocument);
}

// As with runc, a document makes the other options moot.
Result<config::Resources> wanted(const Options& o) {
    const std::string path = o.text("resources");
    if (path.empty())
        return resources_from_options(o);
    HARDRUN_TRY(const std::string json, read_document(path).context("--resources"));
    return resources_from_document(json).context("--resources " + path);
}

}  // namespace

Result<int> run_update(const Global& global, const Args& args) {
    Options o("update: change the limits of a container");
    add_update_options(o);
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(const std::string id, only_id(o));
    HARDRUN_TRY(const config::Resources resources, wanted(o));
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, id));
    // Two updates at once could each read the other's half of a pair of values.
    HARDRUN_TRY(const state::Lock lock, container.entry().lock());
    HARDRUN_CHECK(state::check(state::Operation::update, container.state(), id));
    HARDRUN_TRY(const auto groups, container.groups());
    if (groups == nullptr)
        return Error(Errc::unsupported, "the container has no cgroup, so it has no limits to set");
    HARDRUN_CHECK(groups->update(resources));
    return 0;
}

}  // namespace hardrun::cli
