// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "runtime/cli/command.h"

namespace hardrun::cli {
namespace {

constexpr auto kCommands = std::to_array<Command>({
    {"create", "[OPTIONS] ID", "make a container that waits for `start`", 1, run_create},
    {"delete", "[--force] ID", "remove a stopped container", 1, run_delete},
    {"events", "[OPTIONS] ID", "usage and out-of-memory events of a container", 1, run_events},
    {"exec", "[OPTIONS] ID COMMAND...", "run a further process in a container", 255, run_exec},
    {"explain", "[--bundle DIR | ID]", "what a profile makes of a container, and why", 1,
     run_explain},
    {"features", "", "what this runtime can do, as JSON", 1, run_features},
    {"install", "[OPTIONS] ENGINE", "tell docker, containerd, podman or cri-o of hardrun", 1,
     run_install},
    {"kill", "[--all] ID [SIGNAL]", "send a signal to a container", 1, run_kill},
    {"list", "[OPTIONS]", "the containers", 1, run_list},
    {"pause", "ID", "freeze a container", 1, run_pause},
    {"ps", "[--format F] ID [PS OPTIONS]", "the processes of a container", 1, run_ps},
    {"resume", "ID", "thaw a container", 1, run_resume},
    {"run", "[OPTIONS] ID", "create, start and wait", 1, run_run},
    {"spec", "[OPTIONS]", "write a config.json to start from", 1, run_spec},
    {"start", "ID", "let a created container's program run", 1, run_start},
    {"state", "ID", "one container as JSON", 1, run_state},
    {"uninstall", "[OPTIONS] ENGINE", "take back what install did", 1, run_uninstall},
    {"update", "[OPTIONS] ID", "change the limits of a container", 1, run_update},
});

}  // namespace

std::span<const Command> commands() {
    return kCommands;
}

}  // namespace hardrun::cli
