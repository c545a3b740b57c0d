// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/file.h"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace hardrun {

Result<std::string> read_all(FdRef fd, const std::string& name, size_t max_bytes) {
    std::string out;
    std::array<char, 4096> buffer;
    while (out.size() <= max_bytes) {
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return Error::sys("read " + name);
        if (n == 0)
            return out;
        out.append(buffer.data(), static_cast<size_t>(n));
    }
    return Error(Errc::bad_config, name + ": larger than " + std::to_string(max_bytes) +
                                       " bytes, which is more than hardrun reads");
}

Result<std::string> read_file(FdRef dir, const std::string& path, size_t max_bytes) {
    HARDRUN_TRY(const Fd fd, open_at(dir, path, O_RDONLY | O_NOCTTY));
    return read_all(fd, path, max_bytes);
}

Result<std::string> read_regular_file(FdRef dir, const std::string& path) {
    const Error other(Errc::bad_config, path + ": expected a regular file");
    auto fd = open_at(dir, path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    if (!fd && fd.error().sys_errno() == ENXIO)  // a socket, or a device without a driver
        return other;
    if (!fd)
        return std::move(fd).error();
    struct stat st {};
    if (::fstat(fd->get(), &st) != 0)
        return Error::sys("fstat " + path);
    return S_ISREG(st.st_mode) ? read_all(*fd, path) : other;
}

Status write_all(FdRef fd, std::string_view bytes, const std::string& name) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return Error::sys("write " + name);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

Status write_existing(FdRef dir, const std::string& path, std::string_view value) {
    HARDRUN_TRY(const Fd fd, open_at(dir, path, O_WRONLY | O_NOCTTY));
    const ssize_t n = ::write(fd.get(), value.data(), value.size());
    if (n < 0)
        return Error::sys("write '" + std::string(value) + "' to " + path);
    if (static_cast<size_t>(n) != value.size())
        return Error(Errc::kernel, "write to " + path + ": only a part was taken");
    return {};
}

Status replace_file(FdRef dir, const std::string& path, std::string_view bytes, mode_t mode) {
    const std::string temporary = path + ".tmp-" + std::to_string(::getpid());
    HARDRUN_TRY(const Fd fd,
                open_at(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
    Status written = write_all(fd, bytes, path);
    if (written && ::renameat(dir.get(), temporary.c_str(), dir.get(), path.c_str()) != 0)
        written = Error::sys("rename " + temporary + " to " + path);
    if (!written)
        (void)::unlinkat(dir.get(), temporary.c_str(), 0);  // the write's error is what counts
    return written;
}

}  // namespace hardrun
