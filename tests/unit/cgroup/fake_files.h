// SPDX-License-Identifier: Apache-2.0
// Cgroup file systems in memory, with one ordered list of all that was done to them.
#pragma once

#include <fcntl.h>
#include <signal.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/text.h"
#include "runtime/cgroup/files.h"

namespace hardrun::cgroup {

class FakeFiles final : public Files {
  public:
    using Contents = std::map<std::string, std::string>;  // file -> text

    std::map<std::string, Contents> folders;
    std::map<std::string, Contents> templates;  // what a new folder below the key has in it
    std::map<std::string, int> failures;        // "folder/file", "mkdir folder", "rmdir folder"
    std::vector<std::string> log;
    int waited_ms = 0;

    void add_hierarchy(const std::string& mount, const Contents& contents) {
        folders[mount] = contents;
        templates[mount] = contents;
    }

    Result<Made> make_dir(const std::string& folder) override {
        if (folders.contains(folder))
            return Made::before;
        if (!folders.contains(parent(folder)))
            return fail(ENOENT, "make " + folder);
        if (failures.contains("mkdir " + folder))
            return fail(failures["mkdir " + folder], "make " + folder);
        log.push_back("mkdir " + folder);
        for (const auto& [mount, contents] : templates)
            if (folder.starts_with(mount + "/"))
                folders[folder] = contents;
        folders[folder]["cgroup.procs"] = "";
        return Made::now;
    }

    Status remove_dir(const std::string& folder) override {
        if (!folders.contains(folder))
            return fail(ENOENT, "remove " + folder);
        if (failures.contains("rmdir " + folder))
            return fail(failures["rmdir " + folder], "remove " + folder);
        if (!names(folder).empty() || !trim(folders[folder]["cgroup.procs"]).empty())
            return fail(EBUSY, "remove " + folder);
        log.push_back("rmdir " + folder);
        folders.erase(folder);
        return {};
    }

    Result<std::vector<std::string>> children(const std::string& folder) override {
        if (!folders.contains(folder))
            return fail(ENOENT, "list " + folder);
        return names(folder);
    }

    Result<std::string> read(const std::string& folder, const std::string& file) override {
        if (!folders.contains(folder) || !folders[folder].contains(file))
            return fail(ENOENT, folder + ": open " + file);
        return folders[folder][file];
    }

    Status write(const std::string& folder, const std::string& file,
                 std::string_view value) override {
        const std::string path = folder + "/" + file;
        if (!folders.contains(folder) || !folders[folder].contains(file))
            return fail(ENOENT, "cgroup " + file + ": open in " + folder);
        if (failures.contains(path))
            return fail(failures[path], "cgroup " + file + ": write '" + std::string(value) + "'");
        if (once.contains(path)) {
            const int err = once[path];
            once.erase(path);
            return fail(err, "cgroup " + file);
        }
        log.push_back(path + "=" + std::string(value));
        folders[folder][file] = std::string(value) + "\n";
        if (file == "cgroup.freeze")
            folders[folder]["cgroup.events"] = "populated 1\nfrozen " + std::string(value) + "\n";
        return {};
    }

    Result<Fd> open_dir(const std::string& folder) override {
        log.push_back("open " + folder);
        return open_at(FdRef::cwd(), "/", O_RDONLY | O_DIRECTORY);
    }

    Status signal(pid_t pid, int number) override {
        log.push_back("signal " + std::to_string(pid) + " " + std::to_string(number));
        return {};
    }

    void wait_ms(int milliseconds) override {
        waited_ms += milliseconds;
        if (on_wait)
            on_wait();
    }

    std::map<std::string, int> once;  // fails the first time only
    std::function<void()> on_wait;

  private:
    static Error fail(int err, const std::string& what) { return Error::sys(what, err); }
    static std::string parent(const std::string& folder) {
        return folder.substr(0, folder.rfind('/'));
    }
    std::vector<std::string> names(const std::string& folder) const {
        std::vector<std::string> out;
        for (const auto& [path, contents] : folders)
            if (parent(path) == folder)
                out.push_back(path.substr(folder.size() + 1));
        return out;
    }
};

}  // namespace hardrun::cgroup
