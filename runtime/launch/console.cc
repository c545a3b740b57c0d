// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/console.h"

#include <sys/socket.h>

#include <fcntl.h>

#include <array>
#include <cstring>

#include "runtime/launch/unix_socket.h"

namespace hardrun::launch {

Result<Fd> connect_console(const std::string& path) {
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    HARDRUN_TRY(const Fd dir,
                open_at(FdRef::cwd(), folder, O_PATH | O_DIRECTORY).context("--console-socket"));
    return connect_in(dir, path.substr(slash == std::string::npos ? 0 : slash + 1),
                      SocketKind::stream)
        .context("--console-socket " + path);
}

Status send_console(FdRef socket, FdRef master) {
    char name[] = "/dev/ptmx";
    iovec part{name, sizeof name - 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = master.get();
    std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (::sendmsg(socket.get(), &header, MSG_NOSIGNAL) < 0)
        return Error::sys("--console-socket: sendmsg");
    return {};
}

}  // namespace hardrun::launch
