// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <fcntl.h>

namespace hardrun::launch {
namespace {

Result<sockaddr_un> address_of(FdRef folder, const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder.get() == AT_FDCWD
                                 ? name
                                 : "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
    if (path.size() >= sizeof address.sun_path)
        return Error(Errc::bad_config, "socket name '" + name + "' is too long");
    path.copy(address.sun_path, path.size());
    return address;
}

}  // namespace

Result<Fd> listen_in(FdRef folder, const std::string& name) {
    HARDRUN_TRY(const sockaddr_un address, address_of(folder, name));
    Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!fd.valid())
        return Error::sys("socket");
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return Error::sys("bind " + name);
    if (::listen(fd.get(), 4) != 0)
        return Error::sys("listen " + name);
    return fd;
}

Result<Fd> connect_in(FdRef folder, const std::string& name, SocketKind kind) {
    HARDRUN_TRY(const sockaddr_un address, address_of(folder, name));
    const int type = kind == SocketKind::stream ? SOCK_STREAM : SOCK_SEQPACKET;
    Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    if (!fd.valid())
        return Error::sys("socket");
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return Error::sys("connect " + name);
    return fd;
}

}  // namespace hardrun::launch
