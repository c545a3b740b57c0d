// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/bundle_facts.h"

#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "config/names.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace hardrun::launch {
namespace {

using config::SourceFacts;
using config::SourceKind;

SourceKind kind_of(mode_t mode) {
    if (S_ISDIR(mode))
        return SourceKind::directory;
    if (S_ISREG(mode))
        return SourceKind::file;
    return S_ISSOCK(mode) ? SourceKind::socket : SourceKind::other;
}

// The opened object, and the name that the kernel has for it.
SourceFacts look_at(FdRef bundle, const std::string& source) {
    SourceFacts out;
    const auto fd = open_at(bundle, source, O_PATH);
    if (!fd)
        return out;
    struct stat st {};
    std::array<char, PATH_MAX> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd->get());
    const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
    if (::fstat(fd->get(), &st) != 0 || n <= 0)
        return out;
    out.kind = kind_of(st.st_mode);
    out.resolved.assign(target.data(), static_cast<size_t>(n));
    out.device = st.st_dev;
    out.inode = st.st_ino;
    return out;
}

// Every home folder of passwd(5) that is a place of its own: "/" and the system's folders are not.
std::vector<std::string> home_folders() {
    constexpr size_t kHomeField = 5;
    std::vector<std::string> out = {"/root"};
    const auto passwd = read_file(FdRef::cwd(), "/etc/passwd");
    if (!passwd)
        return out;
    for (const std::string_view line : split(*passwd, '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() > kHomeField && fields[kHomeField].starts_with("/home/"))
            out.emplace_back(fields[kHomeField]);
    }
    return out;
}

bool is_hosts(const config::Namespace& ns) {
    const std::string own =
        "/proc/self/ns/" + std::string(ns.type == config::NamespaceType::network ? "net"
                                       : ns.type == config::NamespaceType::mount
                                           ? "mnt"
                                           : config::namespace_name(ns.type));
    struct stat theirs {};
    struct stat ours {};
    return ::stat(ns.path.c_str(), &theirs) == 0 && ::stat(own.c_str(), &ours) == 0 &&
           theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

uint64_t memory_of_host() {
    struct sysinfo info {};
    return ::sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : 0;
}

// v2 always can; v1 where the kernel was started with swapaccount.
bool can_limit_swap() {
    return ::access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ||
           ::access("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", F_OK) == 0;
}

}  // namespace

config::BundleFacts gather_bundle_facts(const config::Spec& spec, FdRef bundle,
                                        const std::string& id) {
    config::BundleFacts out;
    out.id = id;
    for (const config::Mount& mount : spec.mounts)
        if (mount.options.bind || mount.type == "bind")
            out.sources.emplace(mount.json_path, look_at(bundle, mount.source));
    for (const config::Namespace& ns : spec.linux.namespaces)
        if (!ns.path.empty() && is_hosts(ns))
            out.host_namespaces.insert(ns.path);
    if (!out.sources.empty())
        out.homes = home_folders();
    out.memory_bytes = memory_of_host();
    out.swap_limit = can_limit_swap();
    out.may_limit = ::geteuid() == 0;
    return out;
}

}  // namespace hardrun::launch
