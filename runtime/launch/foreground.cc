// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/foreground.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "runtime/base/file.h"
#include "runtime/state/pid_identity.h"

namespace hardrun::launch {
namespace {

// All but those that mean us (CHLD, PIPE, the job control of our own terminal) or cannot be caught.
sigset_t forwarded() {
    sigset_t set;
    ::sigfillset(&set);
    for (const int signal :
         {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGURG})
        ::sigdelset(&set, signal);
    return set;
}

// Our terminal in raw mode for as long as the container's is connected to it.
class RawTerminal {
  public:
    RawTerminal() {
        if (::tcgetattr(STDIN_FILENO, &before_) != 0)
            return;
        termios raw = before_;
        ::cfmakeraw(&raw);
        active_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    }
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;
    ~RawTerminal() {
        if (active_)
            ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }

  private:
    termios before_{};
    bool active_ = false;
};

void copy_size(int console) {
    winsize size{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
        ::ioctl(console, TIOCSWINSZ, &size);
}

// Carries bytes one way. False when the source has ended.
bool carry(int from, int to) {
    std::array<char, 16384> buffer{};
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    // A reader that is gone ends the output, not the container.
    return static_cast<bool>(
        write_all(FdRef::borrowed(to), {buffer.data(), static_cast<size_t>(n)}, "terminal"));
}

class Waiting {
  public:
    Waiting(pid_t pid, FdRef pidfd, FdRef console)
        : pid_(pid), pidfd_(pidfd.get()), console_(console.get()) {}

    Result<int> run() {
        const sigset_t set = forwarded();
        signals_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
        if (!signals_.valid())
            return Error::sys("signalfd");
        std::optional<RawTerminal> raw;
        if (console_ >= 0) {
            raw.emplace();
            copy_size(console_);
        }
        std::optional<int> status;
        while (!status) {
            HARDRUN_CHECK(step());
            HARDRUN_TRY(status, ended());
        }
        drain();
        return *status;
    }

  private:
    Status step() {
        std::array<pollfd, 4> fds = {
            {{signals_.get(), POLLIN, 0},
             {pidfd_, POLLIN, 0},
             {console_, POLLIN, 0},
             {input_open_ && console_ >= 0 ? STDIN_FILENO : -1, POLLIN, 0}}};
        if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR)
            return Error::sys("poll");
        if (fds[0].revents != 0)
            pass_signal();
        if (fds[2].revents != 0 && !carry(console_, STDOUT_FILENO))
            console_ = -1;
        if (fds[3].revents != 0)
            input_open_ = carry(STDIN_FILENO, console_);
        return {};
    }
    void pass_signal() {
        signalfd_siginfo info{};
        if (::read(signals_.get(), &info, sizeof info) != sizeof info)
            return;
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGWINCH && console_ >= 0)
            copy_size(console_);
        else if (signal != SIGCHLD && signal != SIGPIPE)
            (void)state::send_signal(FdRef::borrowed(pidfd_),
                                     signal);  // it may have ended just now
    }
    Result<std::optional<int>> ended() {
        int status = 0;
        while (true) {
            const pid_t got = ::waitpid(-1, &status, WNOHANG);
            if (got == 0 || (got < 0 && errno == EINTR))
                return std::optional<int>();
            if (got < 0)
                return Error::sys("waitpid");
            if (got == pid_)
                return std::optional<int>(WIFEXITED(status) ? WEXITSTATUS(status)
                                                            : 128 + WTERMSIG(status));
        }
    }
    // What the program wrote to its terminal before it ended is still there to be read.
    void drain() {
        pollfd p{console_, POLLIN, 0};
        while (console_ >= 0 && ::poll(&p, 1, 0) > 0 && carry(console_, STDOUT_FILENO)) {
        }
    }

    pid_t pid_;
    int pidfd_;
    int console_;
    Fd signals_;
    bool input_open_ = true;
};

}  // namespace

Status prepare_foreground() {
    const sigset_t set = forwarded();
    if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0)
        return Error::sys("sigprocmask");
    return {};
}

Status become_subreaper() {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return Error::sys("prctl(PR_SET_CHILD_SUBREAPER)");
    return {};
}

Result<int> wait_for(pid_t pid, FdRef pidfd, FdRef console) {
    return Waiting(pid, pidfd, console).run();
}

}  // namespace hardrun::launch
