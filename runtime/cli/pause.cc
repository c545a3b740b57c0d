// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/container.h"

namespace hardrun::cli {
namespace {

Result<std::unique_ptr<cgroup::Driver>> groups_for(const Global& global, const Options& o,
                                                   state::Operation op) {
    HARDRUN_TRY(const std::string id, only_id(o));
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, id));
    HARDRUN_CHECK(state::check(op, container.state(), id));
    HARDRUN_TRY(auto groups, container.groups());
    if (groups == nullptr)
        return Error(Errc::unsupported, "the container has no cgroup, so it cannot be frozen");
    return groups;
}

}  // namespace

Result<int> run_pause(const Global& global, const Args& args) {
    Options o("pause: freeze every process of a container");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(const auto groups, groups_for(global, o, state::Operation::pause));
    HARDRUN_CHECK(groups->freeze());
    return 0;
}

Result<int> run_resume(const Global& global, const Args& args) {
    Options o("resume: thaw a paused container");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(const auto groups, groups_for(global, o, state::Operation::resume));
    HARDRUN_CHECK(groups->thaw());
    return 0;
}

}  // namespace hardrun::cli
