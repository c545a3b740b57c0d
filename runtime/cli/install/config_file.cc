// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/install/config_file.h"

#include <sys/stat.h>

#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "runtime/base/file.h"

namespace hardrun::cli::install {
namespace {

constexpr size_t kMaxBytes = 4 << 20;
constexpr const char* kBackup = ".hardrun-backup";

Result<std::optional<std::string>> read_if_there(const std::string& path) {
    auto text = read_file(FdRef::cwd(), path, kMaxBytes);
    if (text)
        return std::optional<std::string>(*std::move(text));
    if (text.error().sys_errno() == ENOENT)
        return std::optional<std::string>();
    return std::move(text).error();
}

Status remove_if_there(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return Error::sys("unlink " + path);
    return {};
}

}  // namespace

Result<ConfigFile> ConfigFile::open(const std::string& path) {
    ConfigFile out;
    char resolved[PATH_MAX];
    out.path_ = ::realpath(path.c_str(), resolved) != nullptr ? resolved : path;
    HARDRUN_TRY(out.text_, read_if_there(out.path_));
    HARDRUN_TRY(out.backup_, read_if_there(out.path_ + kBackup));
    struct stat st {};
    if (out.text_ && ::stat(out.path_.c_str(), &st) == 0)
        out.mode_ = st.st_mode & 0777;
    return out;
}

Status ConfigFile::keep_backup() const {
    if (!text_)
        return {};
    return replace_file(FdRef::cwd(), path_ + kBackup, *text_, mode_);
}

Status ConfigFile::drop_backup() const {
    return remove_if_there(path_ + kBackup);
}

Status ConfigFile::write(const std::string& text) const {
    const std::string folder = path_.substr(0, path_.rfind('/'));
    if (path_.find('/') != std::string::npos && !folder.empty() &&
        ::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
        return Error::sys("mkdir " + folder);
    return replace_file(FdRef::cwd(), path_, text, mode_);
}

Status ConfigFile::remove() const {
    return remove_if_there(path_);
}

}  // namespace hardrun::cli::install
