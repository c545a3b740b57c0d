// SPDX-License-Identifier: Apache-2.0
// Paths below the container's root. Every one is resolved by the kernel within the root descriptor
// (openat2, RESOLVE_IN_ROOT), so that no symlink of an image can lead out of it, and is used as the
// descriptor that was opened, so that nothing can be swapped in between (CVE-2021-30465).
#include <asm/errno.h>
#include <asm/statfs.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr size_t kPathMax = 4096;
constexpr int kMaxLinks = 40;  // as the kernel's own limit

// Openat2 answers EAGAIN when a rename ran beside it; a bounded number of tries, then it is an
// error.
constexpr int kTries = 128;

// A path being worked on: the part already resolved, and what is left.
struct Walk {
    char done[kPathMax];
    size_t done_size = 0;
    char rest[kPathMax];
    int links = 0;
};

bool is_dots(const char* name) {
    return equal(name, ".", 2) || equal(name, "..", 3);
}

// Takes the first component off walk.rest into `name`; false when nothing is left.
bool next_component(Walk& walk, char (&name)[256], bool& too_long) {
    const char* p = walk.rest;
    while (*p == '/')
        ++p;
    size_t n = 0;
    while (p[n] != '\0' && p[n] != '/') {
        if (n + 1 >= sizeof name) {
            too_long = true;
            return false;
        }
        name[n] = p[n];
        ++n;
    }
    name[n] = '\0';
    p += n;
    while (*p == '/')
        ++p;
    size_t i = 0;
    for (; p[i] != '\0'; ++i)
        walk.rest[i] = p[i];
    walk.rest[i] = '\0';
    return n != 0;
}

bool append(Walk& walk, const char* name) {
    const size_t n = length(name);
    if (walk.done_size + n + 2 > kPathMax)
        return false;
    if (walk.done_size != 0)
        walk.done[walk.done_size++] = '/';
    for (size_t i = 0; i < n; ++i)
        walk.done[walk.done_size++] = name[i];
    walk.done[walk.done_size] = '\0';
    return true;
}

// A link that leads nowhere yet (an image's /var/run -> /run without /run): go on at its target.
long follow_link(Kernel& k, int parent, const char* name, Walk& walk) noexcept {
    char target[kPathMax];
    const long n = k(__NR_readlinkat, parent, name, target, sizeof target - 1);
    if (n < 0)
        return n;
    if (++walk.links > kMaxLinks)
        return -ELOOP;
    target[n] = '\0';
    const size_t rest = length(walk.rest);
    if (static_cast<size_t>(n) + rest + 2 > kPathMax)
        return -ENAMETOOLONG;
    for (size_t i = rest + 1; i-- > 0;)
        walk.rest[static_cast<size_t>(n) + 1 + i] = walk.rest[i];
    for (size_t i = 0; i < static_cast<size_t>(n); ++i)
        walk.rest[i] = target[i];
    walk.rest[n] = '/';
    if (target[0] == '/') {
        walk.done_size = 0;
        walk.done[0] = '\0';
    }
    return 0;
}

// Nothing is made on procfs, and its links lead to open files of processes: they are never
// followed.
long refuse_procfs(Kernel& k, int folder) noexcept {
    struct statfs fs {};
    if (const long r = k(__NR_fstatfs, folder, &fs); r < 0)
        return r;
    return fs.f_type == PROC_SUPER_MAGIC ? -ELOOP : 0;
}

long open_done(Kernel& k, int root, const Walk& walk) noexcept {
    return open_in_root(k, root, walk.done_size == 0 ? "." : walk.done, O_PATH | O_DIRECTORY, 0);
}

long make(Kernel& k, int parent, const char* name, Target kind) noexcept {
    if (kind == Target::directory)
        return k(__NR_mkdirat, parent, name, 0755);
    const long fd =
        k(__NR_openat, parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return fd;
    return k(__NR_close, fd);
}

// One component that did not resolve: makes it, or, where a dangling link stands, follows the link.
// 1: made; 0: walk on.
long make_component(Kernel& k, int root, const char* name, Target kind, Walk& walk) noexcept {
    const long parent = open_done(k, root, walk);
    if (parent < 0)
        return parent;
    long result = refuse_procfs(k, static_cast<int>(parent));
    if (result >= 0)
        result = make(k, static_cast<int>(parent), name, kind);
    if (result == -EEXIST)
        result = follow_link(k, static_cast<int>(parent), name, walk);
    else if (result >= 0)
        result = 1;
    (void)k(__NR_close, parent);  // an O_PATH descriptor: closing cannot lose anything
    return result;
}

// The common case of a missing target: its folder is there, so nothing but the last component is to
// be made. -ENOENT or -EEXIST where it is not as simple as that.
long make_last(Kernel& k, int root, const char* path, Target kind) noexcept {
    size_t slash = length(path);
    while (slash > 0 && path[slash - 1] != '/')
        --slash;
    char parent_path[kPathMax];
    copy_text(parent_path, sizeof parent_path, ".");
    if (slash >= sizeof parent_path || path[slash] == '\0' || is_dots(path + slash))
        return -ENOENT;
    if (slash > 1)
        copy_text(parent_path, slash, path);
    const long parent = open_in_root(k, root, parent_path, O_PATH | O_DIRECTORY, 0);
    if (parent < 0)
        return parent;
    long result = refuse_procfs(k, static_cast<int>(parent));
    if (result >= 0)
        result = make(k, static_cast<int>(parent), path + slash, kind);
    if (result >= 0)
        result =
            open_in_root(k, static_cast<int>(parent), path + slash, O_PATH, RESOLVE_NO_SYMLINKS);
    (void)k(__NR_close, parent);  // O_PATH
    return result;
}

}  // namespace

long open_in_root(Kernel& k, int root, const char* path, uint64_t flags,
                  uint64_t resolve) noexcept {
    open_how how{};
    how.flags = flags | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve;
    long fd = -EAGAIN;
    for (int i = 0; i < kTries && fd == -EAGAIN; ++i)
        fd = k(__NR_openat2, root, path, &how, sizeof how);
    return fd;
}

long open_or_make(Kernel& k, int root, const char* path, Target kind) noexcept {
    const long there = open_in_root(k, root, path, O_PATH, 0);
    if (there != -ENOENT)
        return there;
    if (const long made = make_last(k, root, path, kind); made != -ENOENT && made != -EEXIST)
        return made;
    Walk walk;
    copy_text(walk.rest, sizeof walk.rest, path);
    if (length(path) >= kPathMax)
        return -ENAMETOOLONG;
    char name[256] = {};
    bool too_long = false;
    while (next_component(walk, name, too_long)) {
        const bool last = walk.rest[0] == '\0';
        const size_t before = walk.done_size;
        if (!append(walk, name))
            return -ENAMETOOLONG;
        const long fd = open_in_root(k, root, walk.done, O_PATH, 0);
        if (fd >= 0) {
            (void)k(__NR_close, fd);
            continue;
        }
        if (fd != -ENOENT)
            return fd;
        walk.done_size = before;
        walk.done[before] = '\0';
        const long made = make_component(k, root, name, last ? kind : Target::directory, walk);
        if (made < 0)
            return made;
        if (made == 1 && !append(walk, name))
            return -ENAMETOOLONG;
    }
    if (too_long)
        return -ENAMETOOLONG;
    return open_in_root(k, root, walk.done_size == 0 ? "." : walk.done, O_PATH, 0);
}

long open_parent(Kernel& k, int root, const char* path, const char** last) noexcept {
    const size_t n = length(path);
    size_t slash = n;
    while (slash > 0 && path[slash - 1] != '/')
        --slash;
    *last = path + slash;
    if (slash == 0)
        return open_in_root(k, root, ".", O_PATH | O_DIRECTORY, 0);
    char parent[kPathMax];
    if (slash >= sizeof parent)
        return -ENAMETOOLONG;
    copy_text(parent, slash, path);
    return open_or_make(k, root, parent, Target::directory);
}

}  // namespace hardrun::init
