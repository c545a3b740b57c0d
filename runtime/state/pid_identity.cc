// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/pid_identity.h"

#include <sys/syscall.h>

#include <unistd.h>

#include <string>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace hardrun::state {
namespace {

struct Stat {
    char state = '?';
    uint64_t start_time = 0;
};

// "pid (comm) state ppid ...": comm may hold anything, so the last ')' counts.
Result<Stat> read_stat(pid_t pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    auto text = read_file(FdRef::cwd(), path, 8192);
    if (!text)
        return Error(Errc::not_found, "process " + std::to_string(pid) + " is gone");
    const size_t end = text->rfind(')');
    if (end == std::string::npos)
        return Error(Errc::internal, path + ": cannot be read");
    const auto fields = split(trim(std::string_view(*text).substr(end + 1)), ' ');
    constexpr size_t kStartTime = 19;  // counted from the state
    if (fields.size() <= kStartTime)
        return Error(Errc::internal, path + ": cannot be read");
    const auto start = parse_decimal(fields[kStartTime]);
    return Stat{fields[0].empty() ? '?' : fields[0][0], start.value_or(0)};
}

}  // namespace

Result<PidIdentity> identify(pid_t pid) {
    HARDRUN_TRY(const Stat stat, read_stat(pid));
    return PidIdentity{pid, stat.start_time};
}

Result<Fd> open_process(const PidIdentity& identity) {
    if (identity.pid <= 0)
        return Fd();
    Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, identity.pid, 0)));
    if (!fd.valid() && errno == ESRCH)
        return Fd();
    if (!fd.valid())
        return Error::sys("pidfd_open " + std::to_string(identity.pid));
    // Read after the pidfd is held: from here on the pid cannot change its owner unnoticed.
    const auto stat = read_stat(identity.pid);
    if (!stat || stat->start_time != identity.start_time || stat->state == 'Z' ||
        stat->state == 'X')
        return Fd();
    return fd;
}

Status send_signal(FdRef pidfd, int signal) {
    if (::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0)
        return {};
    if (errno == ESRCH)
        return Error(Errc::not_found, "the process has ended");
    return Error::sys("pidfd_send_signal");
}

}  // namespace hardrun::state
