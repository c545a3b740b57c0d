// SPDX-License-Identifier: Apache-2.0
// The seam between the drivers and the kernel: folders and files of the cgroup file systems, and
// the two other things that drivers do (signals, waiting). Tests give a fake with an ordered list.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::cgroup {

class Files {
  public:
    Files() = default;
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    virtual ~Files() = default;

    enum class Made : uint8_t { now, before };

    // One level; the parent must be there (else kernel, ENOENT).
    virtual Result<Made> make_dir(const std::string& folder) = 0;
    // One level; fails with EBUSY while there are processes or children in it.
    virtual Status remove_dir(const std::string& folder) = 0;
    virtual Result<std::vector<std::string>> children(const std::string& folder) = 0;

    virtual Result<std::string> read(const std::string& folder, const std::string& file) = 0;
    virtual Status write(const std::string& folder, const std::string& file,
                         std::string_view value) = 0;
    virtual Result<Fd> open_dir(const std::string& folder) = 0;

    virtual Status signal(pid_t pid, int signal) = 0;
    virtual void wait_ms(int milliseconds) = 0;
};

// The real one. It keeps each folder open, follows no link on the way to it, and refuses folders
// that are on another file system than cgroup's.
std::unique_ptr<Files> kernel_files();

}  // namespace hardrun::cgroup
