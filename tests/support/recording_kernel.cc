// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_kernel.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace hardrun::test {
namespace {

// A system call's argument that is an address.
template <class T>
T* at(long arg) {
    return reinterpret_cast<T*>(arg);
}

const char* text_of(long arg) {
    return at<const char>(arg);
}

// Which argument of a call is its path or name; -1: none.
int text_argument(long nr) {
    switch (nr) {
        case SYS_fsopen:
        case SYS_chdir:
        case SYS_umount2:
        case SYS_execve:
        case SYS_sethostname:
        case SYS_setdomainname:
        case SYS_pivot_root:
            return 0;
        case SYS_openat:
        case SYS_openat2:
        case SYS_open_tree:
        case SYS_statx:
        case SYS_mkdirat:
        case SYS_mknodat:
        case SYS_fchownat:
        case SYS_fchmodat:
        case SYS_unlinkat:
        case SYS_faccessat2:
        case SYS_readlinkat:
        case SYS_mount_setattr:
            return 1;
        case SYS_fsconfig:
        case SYS_symlinkat:
            return 2;
        case SYS_move_mount:
            return 3;
        default:
            return -1;
    }
}

// struct user_msghdr with one part, as init lays it out.
struct Header {
    void* name;
    int name_size;
    struct Part {
        const void* base;
        size_t size;
    } * parts;
};

}  // namespace

std::optional<size_t> RecordingKernel::first(long nr, const std::string& text) const {
    for (size_t i = 0; i < calls_.size(); ++i)
        if (calls_[i].nr == nr && (text.empty() || calls_[i].text == text))
            return i;
    return std::nullopt;
}

std::optional<size_t> RecordingKernel::last(long nr) const {
    for (size_t i = calls_.size(); i-- > 0;)
        if (calls_[i].nr == nr)
            return i;
    return std::nullopt;
}

size_t RecordingKernel::count(long nr) const {
    size_t n = 0;
    for (const Call& c : calls_)
        n += c.nr == nr ? 1 : 0;
    return n;
}

long RecordingKernel::call(long nr, const long (&args)[6]) noexcept {
    Call made{.nr = nr};
    std::memcpy(made.args, args, sizeof args);
    if (const int at = text_argument(nr); at >= 0 && args[at] != 0)
        made.text = text_of(args[at]);
    calls_.push_back(made);
    if (nr == SYS_sendmsg) {
        const auto* header = at<const Header>(args[1]);
        sent_.push_back(*static_cast<const init::Message*>(header->parts[0].base));
    }
    if (fail_at == calls_.size() - 1)
        return -EPERM;
    return answer(made);
}

long RecordingKernel::open_file(const Call& call, const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (call.nr == SYS_openat2 && missing.contains(path) && !made_.contains(name))
        return -ENOENT;
    if (call.nr == SYS_openat && (call.args[2] & O_CREAT) != 0)
        made_.insert(name);
    open_[next_fd_] = path;
    return next_fd_++;
}

long RecordingKernel::stat_file(const Call& call) {
    auto* st = at<struct statx>(call.args[4]);
    std::memset(st, 0, sizeof *st);
    const std::string path = call.text.empty() ? open_[call.args[0]] : call.text;
    st->stx_mode = S_IFREG | 0755;
    st->stx_ino = path == "/.." && !old_root_gone_ ? 1 : 2;
    if (const auto node = nodes_.find(path); node != nodes_.end()) {
        st->stx_mode = static_cast<uint16_t>(node->second.first);
        st->stx_rdev_major = ::major(static_cast<dev_t>(node->second.second));
        st->stx_rdev_minor = ::minor(static_cast<dev_t>(node->second.second));
    }
    return 0;
}

long RecordingKernel::identity(const Call& call) {
    const auto id = static_cast<uint32_t>(call.args[0]);
    const auto give = [&](uint32_t value) {
        for (int i = 0; i < 3; ++i)
            *at<uint32_t>(call.args[i]) = value;
        return 0;
    };
    switch (call.nr) {
        case SYS_setresuid:
            uid_ = lies_about_ids ? uid_ : id;
            return 0;
        case SYS_setresgid:
            gid_ = lies_about_ids ? gid_ : id;
            return 0;
        case SYS_getresuid:
            return give(uid_);
        case SYS_getresgid:
            return give(gid_);
        case SYS_capset:
            std::memcpy(caps_, at<const void>(call.args[1]), sizeof caps_);
            return 0;
        default:  // capget
            std::memcpy(at<void>(call.args[1]), caps_, sizeof caps_);
            return 0;
    }
}

long RecordingKernel::prctl(const Call& call) {
    const auto cap = static_cast<unsigned>(call.args[1]);
    if (call.args[0] == PR_CAPBSET_READ)
        return cap > 40 ? -EINVAL : static_cast<long>(bounding >> cap & 1);
    if (call.args[0] == PR_CAPBSET_DROP)
        bounding &= ~(uint64_t{1} << cap);
    return 0;
}

long RecordingKernel::answer(const Call& call) {
    switch (call.nr) {
        case SYS_openat:
        case SYS_openat2:
        case SYS_open_tree:
        case SYS_fsopen:
        case SYS_fsmount:
        case SYS_accept4:
        case SYS_socket:
            return open_file(call, call.text);
        case SYS_statx:
            return stat_file(call);
        case SYS_mknodat:
            nodes_[call.text] = {call.args[2], call.args[3]};
            return 0;
        case SYS_mkdirat:
            made_.insert(call.text);
            return 0;
        case SYS_umount2:
            old_root_gone_ = old_root_gone_ || call.text == ".";
            return 0;
        case SYS_fstatfs:
            std::memset(at<void>(call.args[1]), 0, 120);
            return 0;
        case SYS_getcwd:
            std::memcpy(at<void>(call.args[0]), "/", 2);
            return 2;
        case SYS_recvfrom: {
            const init::Message go{.word = init::Word::go};
            std::memcpy(at<void>(call.args[1]), &go, sizeof go);
            return sizeof go;
        }
        case SYS_write:
            return call.args[2];
        case SYS_prctl:
            return prctl(call);
        case SYS_setresuid:
        case SYS_setresgid:
        case SYS_getresuid:
        case SYS_getresgid:
        case SYS_capset:
        case SYS_capget:
            return identity(call);
        default:
            return 0;
    }
}

}  // namespace hardrun::test
