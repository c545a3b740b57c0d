// SPDX-License-Identifier: Apache-2.0
#include "hooks/runner.h"

#include <linux/close_range.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "runtime/base/clock.h"
#include "runtime/base/text.h"

namespace hardrun::hooks {
namespace {

constexpr size_t kKeptOutput = 4096;

struct Child {
    pid_t pid = -1;
    Fd pidfd;
    Fd input;   // the hook's stdin, to be written
    Fd errors;  // the hook's stderr, to be read
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const std::string& text : texts)
        out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

struct Pipes {
    Fd in_read, in_write, err_read, err_write;
};

Result<Pipes> make_pipes() {
    std::array<int, 2> in{};
    std::array<int, 2> err{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0)
        return Error::sys("pipe");
    Pipes pipes{.in_read = Fd(in[0]), .in_write = Fd(in[1]), .err_read = Fd(), .err_write = Fd()};
    if (::pipe2(err.data(), O_CLOEXEC) != 0)
        return Error::sys("pipe");
    pipes.err_read = Fd(err[0]);
    pipes.err_write = Fd(err[1]);
    return pipes;
}

[[noreturn]] void become(const Hook& hook, const std::string& folder, char** argv, char** envp,
                         const Pipes& pipes) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    (void)::signal(SIGPIPE, SIG_DFL);
    (void)::setpgid(0, 0);  // its own group, so that its children end with it
    ::dup2(pipes.in_read.get(), STDIN_FILENO);
    ::dup2(pipes.err_write.get(), STDOUT_FILENO);
    ::dup2(pipes.err_write.get(), STDERR_FILENO);
    ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
    if (::chdir(folder.c_str()) == 0)
        ::execve(hook.path.c_str(), argv, envp);
    const char* const reason = ::strerrordesc_np(errno);
    (void)!::write(STDERR_FILENO, reason, ::strlen(reason));
    ::_exit(127);
}

Result<Started> start_here(const Hook& hook, const std::string& folder, const Pipes& pipes) {
    std::vector<std::string> args = hook.args;
    if (args.empty())
        args.push_back(hook.path);
    const std::vector<char*> argv = pointers(args);
    const std::vector<char*> envp = pointers(hook.env);
    const pid_t pid = ::fork();
    if (pid < 0)
        return Error::sys("fork");
    if (pid == 0)
        become(hook, folder, const_cast<char**>(argv.data()), const_cast<char**>(envp.data()),
               pipes);
    (void)::setpgid(pid, pid);  // whoever comes first; fails harmlessly after its exec
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd.valid())
        return Error::sys("pidfd_open");
    return Started{pid, std::move(pidfd)};
}

Result<Child> start(const Hook& hook, const std::string& folder, const Starter& starter) {
    HARDRUN_TRY(Pipes pipes, make_pipes());
    auto started = starter ? starter({pipes.in_read.get(), pipes.err_write.get()})
                           : start_here(hook, folder, pipes);
    if (!started)
        return std::move(started).error();
    return Child{started->pid, std::move(started->pidfd), std::move(pipes.in_write),
                 std::move(pipes.err_read)};
}

enum class End { exited, timed_out, abandoned };

// Feeds the state, keeps the end of what the hook says, waits. A hook that does not read its input
// is fine: a closed pipe is not an error.
class Watch {
  public:
    Watch(Child& child, const Surroundings& around, std::optional<int64_t> deadline)
        : child_(child), around_(around), deadline_(deadline) {}

    End run() {
        ::fcntl(child_.input.get(), F_SETFL, O_NONBLOCK);
        ::fcntl(child_.errors.get(), F_SETFL, O_NONBLOCK);
        while (true) {
            std::array<pollfd, 4> fds = {
                {{child_.pidfd.get(), POLLIN, 0},
                 {child_.errors.get(), POLLIN, 0},
                 {child_.input.valid() ? child_.input.get() : -1, POLLOUT, 0},
                 {around_.watched_pidfd.value_or(-1), POLLIN, 0}}};
            const int n = ::poll(fds.data(), fds.size(), timeout());
            if (n < 0 && errno != EINTR)
                return End::abandoned;
            if (n == 0 && timeout() == 0)
                return End::timed_out;
            if (fds[1].revents != 0)
                (void)read_errors();  // more of it comes with the next turn
            if (fds[2].revents != 0)
                write_state();
            if (fds[0].revents != 0)
                return End::exited;
            if (fds[3].revents != 0)
                return End::abandoned;
        }
    }
    // False when there is nothing to read now.
    bool read_errors() {
        std::array<char, 1024> buffer{};
        const ssize_t n = ::read(child_.errors.get(), buffer.data(), buffer.size());
        if (n > 0) {
            output_.append(buffer.data(), static_cast<size_t>(n));
            if (output_.size() > kKeptOutput)
                output_.erase(0, output_.size() - kKeptOutput);
        } else if (n == 0) {
            child_.errors.reset();
        }
        return n > 0;
    }
    // What was still in the pipe when the hook ended.
    void drain() {
        constexpr int kMostReads = 64;
        for (int i = 0; i < kMostReads && child_.errors.valid() && read_errors(); ++i) {
        }
    }
    const std::string& output() const { return output_; }

  private:
    int timeout() const {
        if (!deadline_)
            return -1;
        return static_cast<int>(std::max<int64_t>(0, *deadline_ - monotonic_ms()));
    }
    void write_state() {
        const std::string_view rest = std::string_view(around_.state_json).substr(written_);
        const ssize_t n = ::write(child_.input.get(), rest.data(), rest.size());
        if (n > 0)
            written_ += static_cast<size_t>(n);
        if ((n < 0 && errno != EAGAIN) || written_ == around_.state_json.size())
            child_.input.reset();
    }
    Child& child_;
    const Surroundings& around_;
    std::optional<int64_t> deadline_;
    size_t written_ = 0;
    std::string output_;
};

std::string last_line(std::string_view output) {
    const std::string_view text = trim(output);
    const size_t newline = text.rfind('\n');
    return std::string(newline == std::string_view::npos ? text : text.substr(newline + 1));
}

}  // namespace

Status run(const Hook& hook, const Surroundings& surroundings, const Starter& starter) {
    const std::string name = hook.json_path + " (" + hook.path + ")";
    HARDRUN_TRY(Child child, start(hook, surroundings.folder, starter).context(name));
    std::optional<int64_t> deadline;
    if (hook.timeout_seconds)
        deadline = monotonic_ms() + int64_t{*hook.timeout_seconds} * 1000;
    // Writing to a hook that reads nothing must not end us.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    Watch watch(child, surroundings, deadline);
    const End end = watch.run();
    if (end != End::exited && ::kill(-child.pid, SIGKILL) != 0)
        ::kill(child.pid, SIGKILL);  // a hook without a group of its own
    int status = 0;
    while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    watch.drain();
    ::sigaction(SIGPIPE, &before, nullptr);
    const std::string said = watch.output().empty() ? "" : ": " + last_line(watch.output());
    if (end == End::timed_out)
        return Error(Errc::kernel, name + ": killed after its timeout of " +
                                       std::to_string(*hook.timeout_seconds) + " s" + said);
    if (end == End::abandoned)
        return Error(Errc::bad_state, name + ": killed, since the container ended meanwhile");
    if (WIFSIGNALED(status))
        return Error(Errc::kernel,
                     name + ": ended by signal " + std::to_string(WTERMSIG(status)) + said);
    if (WEXITSTATUS(status) != 0)
        return Error(Errc::kernel,
                     name + ": exit status " + std::to_string(WEXITSTATUS(status)) + said);
    return {};
}

}  // namespace hardrun::hooks
