// SPDX-License-Identifier: Apache-2.0
// What every command is: a name, a line of help, and a function from options to one library call.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/profiles.h"
#include "runtime/base/result.h"
#include "runtime/state/store.h"

namespace hardrun::cli {

struct Global {
    state::Store store{""};
    config::Profile profile = config::Profile::strict;
    bool systemd_cgroup = false;
    bool rootless = false;
    std::string cache_folder;
    uint32_t inherited_fds = 0;  // open descriptors from 3 on, without a gap, at the start
};

using Args = std::vector<std::string>;

// The exit status, or the error that main prints.
using Run = Result<int> (*)(const Global&, const Args&);

struct Command {
    std::string_view name;
    std::string_view usage;  // after the name
    std::string_view summary;
    int failure;  // the exit status of its own failures: 255 for exec, as runc
    Run run;
};

std::span<const Command> commands();

Result<int> run_create(const Global&, const Args&);
Result<int> run_delete(const Global&, const Args&);
Result<int> run_events(const Global&, const Args&);
Result<int> run_exec(const Global&, const Args&);
Result<int> run_explain(const Global&, const Args&);
Result<int> run_features(const Global&, const Args&);
Result<int> run_install(const Global&, const Args&);
Result<int> run_kill(const Global&, const Args&);
Result<int> run_list(const Global&, const Args&);
Result<int> run_pause(const Global&, const Args&);
Result<int> run_ps(const Global&, const Args&);
Result<int> run_resume(const Global&, const Args&);
Result<int> run_run(const Global&, const Args&);
Result<int> run_spec(const Global&, const Args&);
Result<int> run_start(const Global&, const Args&);
Result<int> run_state(const Global&, const Args&);
Result<int> run_uninstall(const Global&, const Args&);
Result<int> run_update(const Global&, const Args&);

}  // namespace hardrun::cli
