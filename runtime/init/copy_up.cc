// SPDX-License-Identifier: Apache-2.0
// tmpcopyup: a new tmpfs gets what the image has at its place. Directories, files and symlinks with
// mode and owner; other kinds are left out. Bounded in depth and number, by the tmpfs in bytes;
// works on descriptors alone and never follows a link.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr int kMaxDepth = 32;
constexpr unsigned kMaxEntries = 100'000;
constexpr int kAtEmptyPath = 0x1000;

struct Entry {  // struct linux_dirent64
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[1];
};

struct Copy {
    Run& run;
    unsigned entries = 0;
};

long copy_folder(Copy&, int from, int to, int depth) noexcept;

// An owner that the user namespace does not map cannot be copied: it stays root's.
long own(Kernel& k, int folder, const char* name, const struct statx& st) noexcept {
    const long r = k(__NR_fchownat, folder, name, st.stx_uid, st.stx_gid, AT_SYMLINK_NOFOLLOW);
    if (r < 0 && r != -EINVAL && r != -EPERM)
        return r;
    if ((st.stx_mode & S_IFMT) == S_IFLNK)
        return 0;
    return k(__NR_fchmodat, folder, name, st.stx_mode & 07777);
}

long copy_bytes(Kernel& k, int from, int to) noexcept {
    while (true) {
        const long n = k(__NR_sendfile, to, from, nullptr, 1 << 20);
        if (n <= 0)
            return n;
    }
}

long copy_file(Kernel& k, int from, int to, const char* name) noexcept {
    const long in = k(__NR_openat, from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (in < 0)
        return in;
    const long out =
        k(__NR_openat, to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    long result = out;
    if (out >= 0) {
        result = copy_bytes(k, static_cast<int>(in), static_cast<int>(out));
        const long closed = k(__NR_close, out);
        result = result < 0 ? result : closed;
    }
    (void)k(__NR_close, in);  // read-only
    return result;
}

long copy_link(Kernel& k, int from, int to, const char* name) noexcept {
    char target[4096];
    const long n = k(__NR_readlinkat, from, name, target, sizeof target - 1);
    if (n < 0)
        return n;
    target[n] = '\0';
    return k(__NR_symlinkat, target, to, name);
}

long copy_directory(Copy& copy, int from, int to, const char* name, int depth) noexcept {
    Kernel& k = copy.run.k;
    if (const long r = k(__NR_mkdirat, to, name, 0700); r < 0)
        return r;
    const long in = k(__NR_openat, from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (in < 0)
        return in;
    const long out = k(__NR_openat, to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    const long result =
        out < 0 ? out : copy_folder(copy, static_cast<int>(in), static_cast<int>(out), depth + 1);
    if (out >= 0)
        (void)k(__NR_close, out);  // directories, opened for reading
    (void)k(__NR_close, in);
    return result;
}

long copy_entry(Copy& copy, int from, int to, const char* name, int depth) noexcept {
    Kernel& k = copy.run.k;
    if (++copy.entries > kMaxEntries)
        return -E2BIG;
    struct statx st {};
    if (const long r = k(__NR_statx, from, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &st);
        r < 0)
        return r;
    long result = 0;
    switch (st.stx_mode & S_IFMT) {
        case S_IFDIR:
            result = copy_directory(copy, from, to, name, depth);
            break;
        case S_IFREG:
            result = copy_file(k, from, to, name);
            break;
        case S_IFLNK:
            result = copy_link(k, from, to, name);
            break;
        default:
            return 0;
    }
    return result < 0 ? result : own(k, to, name, st);
}

bool is_dot(const char* name) noexcept {
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

// The innermost name of a failure is the one that the report has.
long copy_named(Copy& copy, int from, int to, const char* name, int depth) noexcept {
    if (is_dot(name))
        return 0;
    const long r = copy_entry(copy, from, to, name, depth);
    if (r < 0 && copy.run.detail[0] == '\0')
        copy_text(copy.run.detail, sizeof copy.run.detail, name);
    return r;
}

long copy_folder(Copy& copy, int from, int to, int depth) noexcept {
    if (depth > kMaxDepth)
        return -ELOOP;
    alignas(8) char buffer[2048];
    while (true) {
        const long n = copy.run.k(__NR_getdents64, from, buffer, sizeof buffer);
        if (n <= 0)
            return n;
        for (long at = 0; at < n;) {
            const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
            at += entry->size;
            if (const long r = copy_named(copy, from, to, entry->name, depth); r < 0)
                return r;
        }
    }
}

}  // namespace

namespace {

long own_folder(Kernel& k, int folder, const struct statx& st) noexcept {
    const long r = k(__NR_fchownat, folder, "", st.stx_uid, st.stx_gid, kAtEmptyPath);
    return r == -EINVAL || r == -EPERM ? 0 : r;
}

}  // namespace

long copy_up(Run& run, int from, int to) noexcept {
    Copy copy{run};
    const long in = run.k(__NR_openat, from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (in < 0)
        return in;
    struct statx st {};
    long result = run.k(__NR_statx, in, "", kAtEmptyPath, STATX_BASIC_STATS, &st);
    if (result >= 0)
        result = copy_folder(copy, static_cast<int>(in), to, 0);
    if (result >= 0)
        result = own_folder(run.k, to, st);
    (void)run.k(__NR_close, in);  // read-only
    return result;
}

}  // namespace hardrun::init
