// SPDX-License-Identifier: Apache-2.0
// The engine's file on disk: read, replaced whole, and kept beside as it was before hardrun.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/result.h"

namespace hardrun::cli::install {

class ConfigFile {
  public:
    // Links are followed now, so that the file is replaced and not the link to it.
    static Result<ConfigFile> open(const std::string& path);

    const std::string& path() const { return path_; }
    const std::optional<std::string>& text() const { return text_; }
    // What stood there before the first install, where there was a file.
    const std::optional<std::string>& backup() const { return backup_; }

    // Keeps what is there now as the backup.
    Status keep_backup() const;
    Status drop_backup() const;
    // The mode of a file that was there is kept; a missing last folder is made.
    Status write(const std::string& text) const;
    Status remove() const;

  private:
    std::string path_;
    std::optional<std::string> text_;
    std::optional<std::string> backup_;
    unsigned mode_ = 0644;
};

}  // namespace hardrun::cli::install
