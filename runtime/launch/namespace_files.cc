// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/namespace_files.h"

#include <linux/magic.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <fcntl.h>

namespace hardrun::launch {

const char* namespace_file(uint64_t type) {
    switch (type) {
        case CLONE_NEWUSER:
            return "user";
        case CLONE_NEWPID:
            return "pid";
        case CLONE_NEWNET:
            return "net";
        case CLONE_NEWNS:
            return "mnt";
        case CLONE_NEWIPC:
            return "ipc";
        case CLONE_NEWUTS:
            return "uts";
        case CLONE_NEWCGROUP:
            return "cgroup";
        case CLONE_NEWTIME:
            return "time";
        default:
            return "?";
    }
}

Result<Fd> open_namespace(const std::string& path, uint64_t type) {
    HARDRUN_TRY(Fd fd, open_at(FdRef::cwd(), path, O_RDONLY));
    struct statfs fs {};
    if (::fstatfs(fd.get(), &fs) != 0)
        return Error::sys("fstatfs " + path);
    constexpr auto kNsfsMagic = 0x6e736673;
    const int kind = fs.f_type == kNsfsMagic ? ::ioctl(fd.get(), NS_GET_NSTYPE) : -1;
    if (kind < 0 || static_cast<uint64_t>(kind) != type)
        return Error(Errc::bad_config,
                     path + ": expected a " + namespace_file(type) + " namespace");
    return fd;
}

Result<state::NamespaceId> namespace_id(FdRef fd) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return Error::sys("fstat of a namespace");
    return state::NamespaceId{st.st_dev, st.st_ino};
}

Result<state::NamespaceId> namespace_of(const std::string& process, uint64_t type) {
    const std::string path = "/proc/" + process + "/ns/" + namespace_file(type);
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0)
        return Error::sys("stat " + path);
    return state::NamespaceId{st.st_dev, st.st_ino};
}

}  // namespace hardrun::launch
