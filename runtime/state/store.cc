// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/store.h"

#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "runtime/base/file.h"

namespace hardrun::state {
namespace {

constexpr size_t kMaxRecord = 1 << 20;

// The root and what is missing above it. An existing root keeps its mode: engines make their own.
Status make_root(const std::string& root) {
    if (::mkdir(root.c_str(), 0700) == 0 || errno == EEXIST)
        return {};
    if (errno != ENOENT)
        return Error::sys("mkdir " + root);
    const size_t slash = root.rfind('/');
    if (slash == std::string::npos || slash == 0)
        return Error(Errc::not_found, "--root " + root + ": no such folder");
    HARDRUN_CHECK(make_root(root.substr(0, slash)));
    if (::mkdir(root.c_str(), 0700) != 0 && errno != EEXIST)
        return Error::sys("mkdir " + root);
    return {};
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-';
}

}  // namespace

Status check_id(const std::string& id) {
    const bool good = !id.empty() && id.size() <= 255 && is_word(id[0]) &&
                      std::ranges::all_of(id, [](char c) { return is_word(c) || c == '.'; });
    if (good)
        return {};
    return Error(Errc::bad_config,
                 "invalid container ID format: expected letters, digits, _ + - and, not first, "
                 "dots, at most 255 of them");
}

Result<Lock> Entry::lock() const {
    HARDRUN_TRY(Fd fd, open_at(dir_, ".", O_RDONLY | O_DIRECTORY));
    while (::flock(fd.get(), LOCK_EX) != 0)
        if (errno != EINTR)
            return Error::sys("flock " + path_);
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return Error::sys("fstat " + path_);
    if (st.st_nlink == 0)
        return Error(Errc::not_found, "container does not exist");
    return Lock(std::move(fd));
}

Result<Record> Entry::read() const {
    auto text = read_file(dir_, kRecordFile, kMaxRecord);
    if (!text && text.error().sys_errno() == ENOENT)  // not yet, or no longer
        return Error(Errc::not_found, "container does not exist");
    if (!text)
        return std::move(text).error().context(path_);
    return parse_record(*text).context(path_ + "/" + kRecordFile);
}

Status Entry::write(const Record& record) const {
    return replace_file(dir_, kRecordFile, to_json(record), 0600).context(path_);
}

Result<std::string> Entry::read_config() const {
    return read_file(dir_, kConfigFile).context(path_);
}

Status Entry::write_config(const std::string& json) const {
    return replace_file(dir_, kConfigFile, json, 0600).context(path_);
}

bool Entry::gate_closed() const {
    return ::faccessat(dir_.get(), kGateFile, F_OK, 0) == 0;
}

Status Entry::open_gate() const {
    if (::unlinkat(dir_.get(), kGateFile, 0) != 0)
        return Error::sys("unlink " + path_ + "/" + kGateFile);
    return {};
}

Status Entry::pin(const std::string& name, FdRef fd) const {
    const std::string path = path_ + "/" + name;
    HARDRUN_TRY(const Fd file, open_at(dir_, name, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0400));
    const std::string source = "/proc/self/fd/" + std::to_string(fd.get());
    if (::mount(source.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0)
        return Error::sys("mount " + path);
    return {};
}

Result<Entry::Removed> Entry::remove() const {
    // What is mostly there goes by name: an undo may have to do without a new descriptor.
    for (const char* const name : {kGateFile, kRecordFile, kConfigFile})
        (void)::unlinkat(dir_.get(), name, 0);  // the rmdir tells
    if (::rmdir(path_.c_str()) == 0)
        return Removed::by_us;
    if (errno == ENOENT)
        return Removed::before;
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path_.c_str()), ::closedir);
    if (dir == nullptr && errno == ENOENT)
        return Removed::before;
    if (dir == nullptr)
        return Error::sys("opendir " + path_);
    while (const dirent* entry = ::readdir(dir.get())) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..")
            continue;
        if (::unlinkat(::dirfd(dir.get()), name.c_str(), 0) == 0 || errno == ENOENT)
            continue;
        // A pinned namespace is a mount.
        if (errno == EBUSY)
            (void)::umount2((path_ + "/" + name).c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
        if (::unlinkat(::dirfd(dir.get()), name.c_str(), 0) != 0)
            return Error::sys("unlink " + path_ + "/" + name);
    }
    if (::rmdir(path_.c_str()) == 0)
        return Removed::by_us;
    if (errno == ENOENT)
        return Removed::before;
    return Error::sys("rmdir " + path_);
}

Result<Entry> Store::create(const std::string& id) const {
    HARDRUN_CHECK(check_id(id));
    HARDRUN_CHECK(make_root(root_));
    const std::string path = root_ + "/" + id;
    if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno == EEXIST)
            return Error(Errc::already_exists, "container with given ID already exists");
        return Error::sys("mkdir " + path);
    }
    HARDRUN_TRY(Fd dir, open_at(FdRef::cwd(), path, O_PATH | O_DIRECTORY | O_NOFOLLOW));
    return Entry(id, path, std::move(dir));
}

Result<Entry> Store::open(const std::string& id) const {
    HARDRUN_CHECK(check_id(id));
    const std::string path = root_ + "/" + id;
    auto dir = open_at(FdRef::cwd(), path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!dir && dir.error().sys_errno() == ENOENT)
        return Error(Errc::not_found, "container does not exist");
    if (!dir)
        return std::move(dir).error();
    return Entry(id, path, *std::move(dir));
}

Result<std::vector<std::string>> Store::ids() const {
    std::vector<std::string> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(root_.c_str()), ::closedir);
    if (dir == nullptr) {
        if (errno == ENOENT)
            return out;
        return Error::sys("opendir " + root_);
    }
    while (const dirent* entry = ::readdir(dir.get()))
        if (entry->d_name[0] != '.' && entry->d_type != DT_REG)
            out.emplace_back(entry->d_name);
    std::ranges::sort(out);
    return out;
}

}  // namespace hardrun::state
