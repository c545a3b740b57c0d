// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/files.h"

#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <map>

#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

struct Split {
    std::string parent;
    std::string name;
};

Split split_last(const std::string& folder) {
    const size_t slash = folder.rfind('/');
    return {slash == 0 ? "/" : folder.substr(0, slash), folder.substr(slash + 1)};
}

constexpr uint64_t kFolder = O_PATH | O_DIRECTORY;

struct How {
    uint64_t flags;
    uint64_t resolve;
};

// For kernels before 5.6 and for filters that do not know openat2.
Result<Fd> walk(FdRef base, const std::string& path, uint64_t flags) {
    const std::string first = path.starts_with('/') ? "/" : ".";
    HARDRUN_TRY(Fd at, open_at(base, first, O_PATH | O_DIRECTORY));
    const Split last = split_last("/" + path);
    for (const std::string_view part : split(last.parent, '/')) {
        if (part.empty())
            continue;
        HARDRUN_TRY(at, open_at(at, std::string(part), O_PATH | O_DIRECTORY | O_NOFOLLOW));
    }
    return open_at(at, last.name, static_cast<int>(flags) | O_NOFOLLOW);
}

Result<Fd> open_without_links(FdRef base, const std::string& path, How wanted) {
    struct open_how how {};
    how.flags = wanted.flags | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | wanted.resolve;
    Fd fd(static_cast<int>(::syscall(SYS_openat2, base.get(), path.c_str(), &how, sizeof how)));
    if (!fd.valid() && (errno == ENOSYS || errno == EPERM))
        return walk(base, path, wanted.flags).context(path);
    if (!fd.valid())
        return Error::sys("open " + path);
    return fd;
}

Status verify(FdRef fd, const std::string& folder) {
    struct statfs fs {};
    if (::fstatfs(fd.get(), &fs) != 0)
        return Error::sys("statfs " + folder);
    if (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC)
        return Error(Errc::unsupported, folder + ": is not on a cgroup file system");
    return {};
}

class KernelFiles final : public Files {
  public:
    Result<Made> make_dir(const std::string& folder) override {
        const Split path = split_last(folder);
        HARDRUN_TRY(const FdRef parent, opened(path.parent));
        if (::mkdirat(parent.get(), path.name.c_str(), 0755) == 0)
            return Made::now;
        if (errno == EEXIST)
            return Made::before;
        return Error::sys("make cgroup " + folder);
    }

    Status remove_dir(const std::string& folder) override {
        open_.erase(folder);
        last_ = {};
        const Split path = split_last(folder);
        HARDRUN_TRY(const FdRef parent, opened(path.parent));
        if (::unlinkat(parent.get(), path.name.c_str(), AT_REMOVEDIR) != 0)
            return Error::sys("remove cgroup " + folder);
        return {};
    }

    Result<std::vector<std::string>> children(const std::string& folder) override {
        HARDRUN_TRY(const FdRef dir, opened(folder));
        HARDRUN_TRY(Fd listing, open_at(dir, ".", O_RDONLY | O_DIRECTORY));
        DIR* stream = ::fdopendir(listing.release());
        if (stream == nullptr)
            return Error::sys("list " + folder);
        std::vector<std::string> names;
        while (const dirent* entry = ::readdir(stream))
            if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
                names.emplace_back(entry->d_name);
        (void)::closedir(stream);  // read only: there is nothing that closing could lose
        return names;
    }

    Result<std::string> read(const std::string& folder, const std::string& file) override {
        HARDRUN_TRY(const Fd fd, open_file(folder, file, O_RDONLY));
        return read_all(fd, file).context("cgroup " + folder);
    }

    Status write(const std::string& folder, const std::string& file,
                 std::string_view value) override {
        HARDRUN_CHECK(open_for_writing(folder, file));
        const ssize_t done = ::write(last_.fd.get(), value.data(), value.size());
        if (done < 0)
            return Error::sys("cgroup " + file + ": write '" + std::string(value) + "'");
        return {};
    }

    Result<Fd> open_dir(const std::string& folder) override {
        HARDRUN_TRY(const FdRef dir, opened(folder));
        return open_at(dir, ".", O_RDONLY | O_DIRECTORY);
    }

    Status signal(pid_t pid, int number) override {
        if (::kill(pid, number) != 0)
            return Error::sys("kill process " + std::to_string(pid));
        return {};
    }

    void wait_ms(int milliseconds) override { sleep_ms(milliseconds); }

  private:
    Result<FdRef> opened(const std::string& folder) {
        const auto known = open_.find(folder);
        if (known != open_.end())
            return FdRef(known->second);
        HARDRUN_TRY(Fd fd, open_below_known(folder));
        return FdRef(open_.emplace(folder, std::move(fd)).first->second);
    }

    // Below a folder that was verified, on the same mount, there is nothing to verify again.
    Result<Fd> open_below_known(const std::string& folder) const {
        const Split path = split_last(folder);
        if (const auto parent = open_.find(path.parent); parent != open_.end()) {
            auto below = open_without_links(parent->second, path.name, {kFolder, RESOLVE_NO_XDEV});
            if (below || below.error().sys_errno() != EXDEV)
                return std::move(below).context(folder);
        }
        HARDRUN_TRY(Fd fd, open_without_links(FdRef::cwd(), folder, {kFolder, 0}));
        HARDRUN_CHECK(verify(fd, folder));
        return fd;
    }

    // By way of the folder or its parent where one of them is open, else at once: most folders are
    // opened for one file.
    Result<Fd> open_file(const std::string& folder, const std::string& file, uint64_t flags) const {
        if (const auto known = open_.find(folder); known != open_.end())
            return open_without_links(known->second, file, {flags, RESOLVE_NO_XDEV});
        const Split path = split_last(folder);
        if (const auto parent = open_.find(path.parent); parent != open_.end()) {
            auto below = open_without_links(parent->second, path.name + "/" + file,
                                            {flags, RESOLVE_NO_XDEV});
            if (below || below.error().sys_errno() != EXDEV)
                return below;
        }
        HARDRUN_TRY(Fd fd, open_without_links(FdRef::cwd(), folder + "/" + file, {flags, 0}));
        HARDRUN_CHECK(verify(fd, folder));
        return fd;
    }

    // Device rules are a dozen writes to one file.
    Status open_for_writing(const std::string& folder, const std::string& file) {
        if (last_.fd.valid() && last_.folder == folder && last_.file == file)
            return {};
        auto opened = open_file(folder, file, O_WRONLY);
        if (!opened)
            return std::move(opened).error().context("cgroup " + file);
        last_ = {folder, file, *std::move(opened)};
        return {};
    }

    struct Written {
        std::string folder;
        std::string file;
        Fd fd;
    };

    std::map<std::string, Fd> open_;
    Written last_;
};

}  // namespace

std::unique_ptr<Files> kernel_files() {
    return std::make_unique<KernelFiles>();
}

}  // namespace hardrun::cgroup
