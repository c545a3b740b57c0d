// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/id_maps.h"

#include <string>

#include "runtime/base/file.h"

namespace hardrun::launch {
namespace {

std::string lines(const std::vector<config::IdMap>& maps) {
    std::string out;
    for (const config::IdMap& map : maps)
        out += std::to_string(map.container_id) + " " + std::to_string(map.host_id) + " " +
               std::to_string(map.size) + "\n";
    return out;
}

}  // namespace

Status write_id_maps(pid_t pid, const std::vector<config::IdMap>& uids,
                     const std::vector<config::IdMap>& gids) {
    const std::string process = "/proc/" + std::to_string(pid);
    HARDRUN_CHECK(write_existing(FdRef::cwd(), process + "/uid_map", lines(uids))
                      .context("linux.uidMappings"));
    return write_existing(FdRef::cwd(), process + "/gid_map", lines(gids))
        .context("linux.gidMappings");
}

}  // namespace hardrun::launch
