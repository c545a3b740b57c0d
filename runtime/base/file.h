// SPDX-License-Identifier: Apache-2.0
// Whole small files, read and written in one call. Paths are the host's and trusted; what lies
// below a container's root goes through the init program or beneath.h.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun {

// Errors: kernel with the path; bad_config above `max_bytes`.
Result<std::string> read_file(FdRef dir, const std::string& path, size_t max_bytes = 64U << 20);

// The same for what must be a regular file: a pipe would hang, a device would not end.
Result<std::string> read_regular_file(FdRef dir, const std::string& path);

// The rest of an open descriptor.
Result<std::string> read_all(FdRef fd, const std::string& name, size_t max_bytes = 64U << 20);

// All bytes, whatever write(2) does.
Status write_all(FdRef fd, std::string_view bytes, const std::string& name);

// Writes an existing file (proc, sysfs, cgroup): no O_CREAT, one write(2).
Status write_existing(FdRef dir, const std::string& path, std::string_view value);

// Replaces `path` so that a reader sees the old or the new content, never a part: temporary file in
// the same folder, rename.
Status replace_file(FdRef dir, const std::string& path, std::string_view bytes, mode_t mode);

}  // namespace hardrun
