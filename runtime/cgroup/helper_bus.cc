// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cgroup/bus.h"

#ifndef HARDRUN_LIBEXEC_FROM_BIN
#define HARDRUN_LIBEXEC_FROM_BIN "../libexec/hardrun"
#endif

namespace hardrun::cgroup {
namespace {

// Beside the runtime's own program (a build tree, a private installation), else in the libexec
// folder of the same installation, wherever that was put. PATH is the caller's and not asked.
Result<std::string> helper_path() {
    std::array<char, 4096> self{};
    const ssize_t size = ::readlink("/proc/self/exe", self.data(), self.size() - 1);
    const std::string_view program(self.data(), size > 0 ? static_cast<size_t>(size) : 0);
    const std::string folder(program.substr(0, program.rfind('/') + 1));
    for (const char* from_here : {"", HARDRUN_LIBEXEC_FROM_BIN "/"}) {
        const std::string path = folder + from_here + "hardrun-systemd";
        if (path.starts_with('/') && ::access(path.c_str(), X_OK) == 0)
            return path;
    }
    return Error(Errc::unsupported,
                 "--systemd-cgroup needs the program hardrun-systemd, which is neither in " +
                     folder + " nor in " + folder + HARDRUN_LIBEXEC_FROM_BIN);
}

struct Pipe {
    Fd read;
    Fd write;
};

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Error::sys("pipe");
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// A file and not a pipe: a helper that ends early must not end us by SIGPIPE.
Result<Fd> as_file(const std::string& text) {
    Fd fd(::memfd_create("hardrun-systemd", MFD_CLOEXEC));
    if (!fd.valid())
        return Error::sys("memfd_create");
    HARDRUN_CHECK(write_all(fd, text, "hardrun-systemd"));
    if (::lseek(fd.get(), 0, SEEK_SET) != 0)
        return Error::sys("lseek");
    return fd;
}

struct Child {
    pid_t pid = -1;
    Fd errors;
};

Result<Child> spawn(const std::string& program, const std::string& verb, const std::string& unit,
                    FdRef input) {
    HARDRUN_TRY(Pipe errors, make_pipe());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
    const char* const argv[] = {"hardrun-systemd", verb.c_str(), unit.c_str(), nullptr};
    const char* const envp[] = {nullptr};
    Child child;
    const int err = ::posix_spawn(&child.pid, program.c_str(), &actions, nullptr,
                                  const_cast<char* const*>(argv), const_cast<char* const*>(envp));
    posix_spawn_file_actions_destroy(&actions);
    if (err != 0)
        return Error::sys("run " + program, err);
    child.errors = std::move(errors.read);
    return child;
}

Result<int> wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return Error::sys("wait for hardrun-systemd");
    return status;
}

Status run(const std::string& verb, const std::string& unit, const std::string& lines) {
    HARDRUN_TRY(const std::string program, helper_path());
    HARDRUN_TRY(const Fd input, as_file(lines));
    HARDRUN_TRY(const Child child, spawn(program, verb, unit, input));
    const Result<std::string> said = read_all(child.errors, "hardrun-systemd", 1U << 16);
    HARDRUN_TRY(const int status, wait_for(child.pid));
    if (status == 0)
        return {};
    const std::string words(said ? trim(*said) : "");
    const Errc kind =
        WIFEXITED(status) && WEXITSTATUS(status) == 3 ? Errc::unsupported : Errc::kernel;
    return Error(kind, words.empty() ? "hardrun-systemd ended with status " + std::to_string(status)
                                     : words);
}

class HelperBus final : public Bus {
  public:
    Status start(const std::string& unit, const std::vector<UnitProperty>& properties) override {
        return with_lines("start", unit, properties);
    }
    Status set(const std::string& unit, const std::vector<UnitProperty>& properties) override {
        return with_lines("set", unit, properties);
    }
    Status stop(const std::string& unit) override { return run("stop", unit, ""); }

  private:
    static Status with_lines(const std::string& verb, const std::string& unit,
                             const std::vector<UnitProperty>& properties) {
        std::string lines;
        for (const UnitProperty& property : properties) {
            HARDRUN_TRY(const std::string line, property_line(property));
            lines += line;
        }
        return run(verb, unit, lines);
    }
};

}  // namespace

std::unique_ptr<Bus> helper_bus() {
    return std::make_unique<HelperBus>();
}

}  // namespace hardrun::cgroup
