// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/process_setup.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"

namespace hardrun::launch {

Status check_terminal(const std::optional<plan::Process>& process,
                      const std::string& console_socket, bool foreground) {
    const bool terminal = process && process->terminal;
    if (terminal && console_socket.empty() && !foreground)
        return Error(
            Errc::bad_config,
            "process.terminal: a detached container with a terminal needs --console-socket");
    if (!terminal && !console_socket.empty())
        return Error(Errc::bad_config, "--console-socket: given, but process.terminal is false");
    return {};
}

Status set_oom_score_adj(pid_t pid, std::optional<int> value) {
    if (!value)
        return {};
    const std::string path = "/proc/" + std::to_string(pid) + "/oom_score_adj";
    HARDRUN_TRY(const std::string now, read_file(FdRef::cwd(), path, 64));
    if (trim(now) == std::to_string(*value))
        return {};
    return write_existing(FdRef::cwd(), path, std::to_string(*value))
        .context("process.oomScoreAdj");
}

Status write_pid_file(const std::string& path, pid_t pid) {
    return replace_file(FdRef::cwd(), path, std::to_string(pid), 0644).context("--pid-file");
}

Result<Fd> open_child(pid_t pid) {
    Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!fd.valid())
        return Error::sys("pidfd_open " + std::to_string(pid));
    return fd;
}

Status end_child(pid_t pid) {
    if (::kill(pid, SIGKILL) != 0 && errno != ESRCH)
        return Error::sys("kill");
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {};
}

void report_undo(const std::string& what, const Error& error) {
    log::warning("undo of '" + what + "': " + error.what());
}

Error died(pid_t pid) {
    int status = 0;
    siginfo_t info{};
    // Left as a zombie: the undo waits for it.
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0)
        status = info.si_status;
    if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED) {
        const std::string hint =
            status == SIGKILL
                ? ": out of memory (linux.resources.memory.limit), or killed from outside"
                : "";
        return Error(Errc::kernel, "the container's first process ended by signal " +
                                       std::to_string(status) + hint);
    }
    return Error(Errc::kernel, "the container's first process ended with status " +
                                   std::to_string(status) + " before it was ready");
}

}  // namespace hardrun::launch
