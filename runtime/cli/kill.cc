// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "config/names.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/remove.h"

namespace hardrun::cli {

Result<int> run_kill(const Global& global, const Args& args) {
    Options o("kill: send a signal (default TERM) to a container's first process");
    HARDRUN_CHECK(o.add_flag("all,a", "to every process of the container").parse_mixed(args));
    const auto& words = o.words();
    if (words.empty() || words.size() > 2)
        return Error(Errc::bad_config, "expected: kill [--all] ID [SIGNAL]");
    const auto signal = config::signal_number(words.size() == 2 ? words[1] : "TERM");
    if (!signal)
        return Error(Errc::bad_config, "unknown signal \"" + words[1] + "\"");
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, words[0]));
    HARDRUN_CHECK(launch::kill(container, *signal,
                               o.flag("all") ? launch::Whom::everybody : launch::Whom::init));
    return 0;
}

Result<int> run_delete(const Global& global, const Args& args) {
    Options o("delete: remove a stopped container");
    HARDRUN_CHECK(
        o.add_flag("force,f", "end it first where it still runs; a missing one is no error")
            .parse_mixed(args));
    HARDRUN_TRY(const std::string id, only_id(o));
    HARDRUN_CHECK(
        launch::remove(global.store, id, o.flag("force") ? launch::Force::yes : launch::Force::no));
    return 0;
}

}  // namespace hardrun::cli
