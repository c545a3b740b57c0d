// SPDX-License-Identifier: Apache-2.0
// Descriptors: Fd owns, FdRef borrows. A bare int never crosses a function boundary.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "runtime/base/result.h"

namespace hardrun {

class Fd {
  public:
    Fd() = default;
    explicit Fd(int raw) : raw_(raw) {}
    Fd(Fd&& other) noexcept : raw_(std::exchange(other.raw_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other)
            reset(std::exchange(other.raw_, -1));
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    bool valid() const { return raw_ >= 0; }
    int get() const { return raw_; }

    // Gives up ownership; the caller closes it. Used only at the edge to a C library.
    [[nodiscard]] int release() { return std::exchange(raw_, -1); }

    // close() is not retried on EINTR: on Linux the descriptor is gone either way. errno is kept,
    // so an Fd may go out of scope between a failed call and Error::sys.
    void reset(int raw = -1) noexcept {
        if (raw_ >= 0) {
            const int saved = errno;
            ::close(raw_);
            errno = saved;
        }
        raw_ = raw;
    }

  private:
    int raw_ = -1;
};

// A descriptor somebody else keeps open for the length of the call. Passed by value; never stored.
class FdRef {
  public:
    FdRef(const Fd& fd) : raw_(fd.get()) {}
    FdRef(const Fd&&) = delete;  // a temporary would be closed before use
    static FdRef cwd() { return FdRef(AT_FDCWD); }
    static FdRef borrowed(int raw) { return FdRef(raw); }
    int get() const { return raw_; }

  private:
    explicit FdRef(int raw) : raw_(raw) {}
    int raw_;
};

// Every opener adds O_CLOEXEC itself, so no caller can forget it.
inline Result<Fd> open_at(FdRef dir, const std::string& path, int flags, mode_t mode = 0) {
    Fd fd(::openat(dir.get(), path.c_str(), flags | O_CLOEXEC, mode));
    if (!fd.valid())
        return Error::sys("open " + path);
    return fd;
}

// The single door through which a descriptor reaches the container process.
inline Status keep_across_exec(FdRef fd) {
    if (::fcntl(fd.get(), F_SETFD, 0) != 0)
        return Error::sys("fcntl(F_SETFD)");
    return {};
}

}  // namespace hardrun
