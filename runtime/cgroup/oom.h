// SPDX-License-Identifier: Apache-2.0
// Tells when the kernel ends a process of a container for lack of memory, for `events`. v1 has an
// eventfd for it, v2 changes a file.
#pragma once

#include <memory>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/cgroup/driver.h"

namespace hardrun::cgroup {

enum class OomNews : uint8_t { none, oom, gone };  // gone: the group is removed or empty

class OomWatch {
  public:
    OomWatch() = default;
    OomWatch(const OomWatch&) = delete;
    OomWatch& operator=(const OomWatch&) = delete;
    virtual ~OomWatch() = default;

    // Readable when take() has something to say.
    virtual FdRef fd() const = 0;
    virtual Result<OomNews> take() = 0;
};

// Errors: unsupported where the container has no memory group.
Result<std::unique_ptr<OomWatch>> watch_oom(const Location& location);

}  // namespace hardrun::cgroup
