// SPDX-License-Identifier: Apache-2.0
// The id maps of a new user namespace, written from outside (user_namespaces(7)).
#pragma once

#include <sys/types.h>

#include <vector>

#include "config/spec.h"
#include "runtime/base/result.h"

namespace hardrun::launch {

Status write_id_maps(pid_t pid, const std::vector<config::IdMap>& uids,
                     const std::vector<config::IdMap>& gids);

}  // namespace hardrun::launch
