// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/groups.h"

#include <algorithm>

#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

std::string parent_of(const std::string& folder) {
    return folder.substr(0, folder.rfind('/'));
}

bool is_gone(const Error& error) {
    return error.sys_errno() == ENOENT || error.sys_errno() == ENODEV;
}

Result<Files::Made> make_one(Files& files, const std::string& folder, UndoStack& undo) {
    HARDRUN_TRY(const Files::Made made, files.make_dir(folder));
    if (made == Files::Made::now)
        undo.push("remove cgroup " + folder,
                  [&files, folder]() -> Status { return remove_groups(files, {folder}, 100); });
    return made;
}

// Deepest first; the kernel refuses to remove a group that has children.
Status remove_tree(Files& files, const std::string& folder) {
    Status direct = files.remove_dir(folder);
    if (direct || is_gone(direct.error()))
        return {};
    if (direct.error().sys_errno() != EBUSY)
        return direct;
    std::vector<std::string> tree = with_descendants(files, folder);
    if (tree.size() < 2)
        return direct;
    std::ranges::reverse(tree);
    for (const std::string& group : tree) {
        Status done = files.remove_dir(group);
        if (!done && !is_gone(done.error()))
            return done;
    }
    return {};
}

// Adds what is missing at one level. All in one write first; where one controller of them is
// refused (the kernel then takes none), one by one.
void enable_in(Files& files, const std::string& group) {
    const Result<std::string> available = files.read(group, "cgroup.controllers");
    const Result<std::string> enabled = files.read(group, "cgroup.subtree_control");
    if (!available || !enabled)
        return;
    const auto have = split(trim(*enabled), ' ');
    std::vector<std::string> wanted;
    for (const std::string_view controller : split(trim(*available), ' '))
        if (!controller.empty() && std::ranges::find(have, controller) == have.end())
            wanted.emplace_back("+").append(controller);
    std::string all;
    for (const std::string& one : wanted) {
        if (!all.empty())
            all += ' ';
        all += one;
    }
    if (all.empty() || files.write(group, "cgroup.subtree_control", all))
        return;
    for (const std::string& one : wanted)
        (void)files.write(group, "cgroup.subtree_control", one);  // the limit that needs it reports
}

// One file of a cpuset group, filled from the group above, which may itself need it first.
Result<std::string> inherit_file(Files& files, const std::string& folder, const std::string& file) {
    HARDRUN_TRY(const std::string own, files.read(folder, file));
    if (!trim(own).empty())
        return own;
    HARDRUN_TRY(const std::string above, inherit_file(files, parent_of(folder), file));
    HARDRUN_CHECK(files.write(folder, file, trim(above)));
    return above;
}

}  // namespace

Result<Files::Made> make_group(Files& files, const std::string& folder, UndoStack& undo) {
    Result<Files::Made> made = make_one(files, folder, undo);
    if (made || made.error().sys_errno() != ENOENT || parent_of(folder).empty())
        return made;
    HARDRUN_TRY(const Files::Made parent, make_group(files, parent_of(folder), undo));
    (void)parent;  // a parent may hold whatever it likes
    return make_one(files, folder, undo);
}

Status check_unused(Files& files, const std::string& folder) {
    HARDRUN_TRY(const std::string procs, files.read(folder, "cgroup.procs"));
    if (!trim(procs).empty())
        return Error(Errc::bad_state,
                     "linux.cgroupsPath: group " + folder + " is in use by process " +
                         std::string(split(procs, '\n')[0]) +
                         "; expected a new or an empty one: choose another path or end them");
    for (const char* file : {"cgroup.freeze", "freezer.state"}) {
        const Result<std::string> state = files.read(folder, file);
        if (state && trim(*state) != "0" && trim(*state) != "THAWED")
            return Error(Errc::bad_state, "linux.cgroupsPath: group " + folder +
                                              " is frozen, a container in it could never start; "
                                              "thaw it or choose another path");
    }
    return {};
}

Status inherit_cpuset(Files& files, const std::string& folder) {
    for (const char* file : {"cpuset.cpus", "cpuset.mems"}) {
        HARDRUN_TRY(const std::string value, inherit_file(files, folder, file));
        (void)value;  // only that there is one matters here
    }
    return {};
}

void enable_controllers(Files& files, const std::string& mount_point, const std::string& folder) {
    const std::string parent = parent_of(folder);
    const Result<std::string> wanted = files.read(mount_point, "cgroup.controllers");
    const Result<std::string> there = files.read(parent, "cgroup.subtree_control");
    if (wanted && there && trim(*wanted) == trim(*there))
        return;
    for (size_t at = mount_point.size(); at < folder.size(); at = folder.find('/', at + 1))
        enable_in(files, folder.substr(0, at));
}

Status remove_groups(Files& files, const std::vector<std::string>& folders, int timeout_ms) {
    int waited = 0;
    int pause = 1;
    for (const std::string& folder : folders) {
        while (true) {
            Status done = remove_tree(files, folder);
            if (done)
                break;
            if (done.error().sys_errno() != EBUSY || waited >= timeout_ms)
                return done;
            files.wait_ms(pause);
            waited += pause;
            pause = std::min(pause * 2, 20);
        }
    }
    return {};
}

std::vector<std::string> with_descendants(Files& files, const std::string& folder) {
    std::vector<std::string> found{folder};
    for (size_t i = 0; i < found.size(); ++i) {
        const Result<std::vector<std::string>> names = files.children(found[i]);
        if (!names)
            continue;  // it went away meanwhile
        for (const std::string& name : *names)
            found.push_back(found[i] + "/" + name);
    }
    return found;
}

Result<std::vector<pid_t>> all_pids(Files& files, const std::string& folder) {
    std::vector<pid_t> pids;
    for (const std::string& group : with_descendants(files, folder)) {
        const Result<std::string> text = files.read(group, "cgroup.procs");
        if (!text) {
            // Gone meanwhile, or a threaded group, whose processes its domain lists.
            if (is_gone(text.error()) || text.error().sys_errno() == EOPNOTSUPP)
                continue;
            return text.error();
        }
        for (const std::string_view line : split(*text, '\n'))
            if (const auto pid = parse_decimal(trim(line), INT32_MAX); pid && *pid != 0)
                pids.push_back(static_cast<pid_t>(*pid));
    }
    std::ranges::sort(pids);
    pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
    return pids;
}

}  // namespace hardrun::cgroup
