// SPDX-License-Identifier: Apache-2.0
// Sources for a container with a user namespace of its own. What the parent opened carries flags
// that root in there could undo: the kernel locks them (and the mounts that cover something) only
// when it copies a whole mount namespace for another user namespace. So the sources are attached
// in a private mount namespace first; init is cloned from there and takes them out of its copy.
#pragma once

#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/launch/arena.h"
#include "runtime/launch/sources.h"

namespace hardrun::launch {

class Staging {
  public:
    Staging() = default;
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging();

    // From here to leave() this process stands in a mount namespace of its own, its working
    // directory being the folder of the sources. `place` is a folder to attach that folder to.
    Status enter(const std::string& place, const Sources& sources, Arena& arena);

    // Back to where it came from.
    Status leave();

  private:
    Fd mount_namespace_;
    Fd root_;
    Fd cwd_;
};

}  // namespace hardrun::launch
