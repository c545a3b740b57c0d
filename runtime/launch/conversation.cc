// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/conversation.h"

#include <sys/socket.h>

#include <seccomp.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

namespace hardrun::launch {
namespace {

using init::Message;
using init::Step;

std::string_view name(Step step) {
    constexpr auto kNames = std::to_array<std::string_view>({
        "start the init program",
        "linux.namespaces",
        "linux.namespaces",
        "fork",
        "wait for the runtime",
        "set the propagation of the mount namespace",
        "make the cgroup namespace",
        "set up the network",
        "mount a private procfs",
        "root.path",
        "mounts",
        "linux.devices",
        "/dev links",
        "hooks",
        "linux.sysctl",
        "linux.readonlyPaths",
        "linux.maskedPaths",
        "process.terminal",
        "pivot_root",
        "verify the root file system",
        "root.readonly",
        "hostname",
        "domainname",
        "process.rlimits",
        "process.cwd",
        "make the session keyring",
        "process.user and process.capabilities",
        "verify the identity",
        "read the home folder",
        "process.args",
        "start a session",
        "wait for start",
        "enter the network cell",
        "apply the security label",
        "process.noNewPrivileges",
        "linux.seccomp",
        "exec",
    });
    const auto i = static_cast<size_t>(step);
    return i < kNames.size() ? kNames[i] : "init";
}

std::string call_name(int nr) {
    const std::unique_ptr<char, void (*)(void*)> text(
        ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr), ::free);
    return text != nullptr ? text.get() : "system call " + std::to_string(nr);
}

const std::vector<std::string>* list_of(Step step, const Names& names) {
    switch (step) {
        case Step::mounts:
            return &names.mounts;
        case Step::devices:
            return &names.devices;
        case Step::readonly_paths:
            return &names.readonly_paths;
        case Step::masked_paths:
            return &names.masked_paths;
        case Step::sysctls:
            return &names.sysctls;
        case Step::rlimits:
            return &names.rlimits;
        case Step::join_namespaces:
            return &names.joins;
        default:
            return nullptr;
    }
}

std::string object_of(const Message& failed, const Names& names) {
    const auto* list = list_of(failed.step, names);
    if (list != nullptr && failed.index < list->size())
        return (*list)[failed.index];
    if (failed.step == Step::cwd)
        return "process.cwd \"" + names.cwd + "\"";
    if (failed.step == Step::label && !names.apparmor.empty())
        return "process.apparmorProfile \"" + names.apparmor + "\"";
    return std::string(name(failed.step));
}

// runc's words, by which engines choose the exit status (126 and 127).
Error program_error(const Message& failed, const Names& names) {
    const std::string exec = "unable to start container process: exec: \"" + names.program + "\": ";
    if (names.searched && failed.err == ENOENT)
        return Error(Errc::kernel, exec + "executable file not found in $PATH");
    if (failed.err == ENOENT)
        return Error(Errc::kernel, exec + "stat " + names.program + ": no such file or directory");
    if (failed.err == EACCES)
        return Error(Errc::kernel, exec + "permission denied");
    if (failed.err == ENOEXEC)
        return Error(Errc::kernel, exec + "exec format error");
    if (failed.err == ELOOP)
        return Error(
            Errc::kernel,
            exec + "leads through too many links, or through a link of /proc to an open file");
    return Error(Errc::kernel, exec + std::strerror(failed.err));
}

// ECONNRESET says that init ended without reading our last word; what it said before comes after.
bool again() {
    return errno == EINTR || errno == ECONNRESET;
}

}  // namespace

std::optional<Message> failure_so_far(FdRef sync) {
    Message message;
    ssize_t n = -1;
    do
        n = ::recv(sync.get(), &message, sizeof message, MSG_DONTWAIT);
    while (n < 0 && again());
    if (n != sizeof message || message.word != init::Word::failed)
        return std::nullopt;
    message.detail[sizeof message.detail - 1] = '\0';
    return message;
}

Result<Heard> hear(FdRef sync) {
    Heard heard;
    iovec part{&heard.message, sizeof heard.message};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    ssize_t n = -1;
    do
        n = ::recvmsg(sync.get(), &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && again());
    if (n < 0)
        return Error::sys("recvmsg from init");
    if (const cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr && c->cmsg_type == SCM_RIGHTS) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
        heard.fd = Fd(fd);
    }
    heard.closed = n <= 0;
    if (n > 0 && n != sizeof heard.message)
        return Error(Errc::internal, "a message of the wrong size from init");
    heard.message.detail[sizeof heard.message.detail - 1] = '\0';
    return heard;
}

Status say_go(FdRef sync) {
    const Message go;
    if (::send(sync.get(), &go, sizeof go, MSG_NOSIGNAL) != sizeof go)
        return Error::sys("send to init");
    return {};
}

Error describe(const Message& failed, const Names& names) {
    if (failed.step == Step::program || failed.step == Step::exec)
        return program_error(failed, names);
    std::string text = object_of(failed, names);
    if (failed.step == Step::cwd && failed.err == ELOOP)
        text += ": leads out of the root file system";
    else if (failed.step == Step::label && failed.err == ENOENT)
        text += ": no profile of that name is loaded";
    else if (failed.call != 0)
        text += ": " + call_name(failed.call);
    if (failed.detail[0] != '\0')
        text += " (" + std::string(failed.detail) + ")";
    // "permission denied" is the program's: a refusal elsewhere must not look like it to an engine.
    const std::string reason = failed.err == EACCES ? "access refused (EACCES)"
                               : ::strerrordesc_np(failed.err) != nullptr
                                   ? ::strerrordesc_np(failed.err)
                                   : std::to_string(failed.err);
    Error error(Errc::kernel, text + ": " + reason);
    return error;
}

}  // namespace hardrun::launch
