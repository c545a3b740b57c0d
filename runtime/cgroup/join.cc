// SPDX-License-Identifier: Apache-2.0
// A further process for an existing container: which of its groups it goes to.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/cgroup/fs_driver.h"
#include "runtime/cgroup/groups.h"

namespace hardrun::cgroup {
namespace {

// runc's exec --cgroup: "path" for all controllers, or "controller,controller:path" for some.
struct SubGroup {
    std::vector<std::string> controllers;  // empty: all
    std::string path;                      // "" or "/below"
};

Result<SubGroup> parse_sub(const std::string& text) {
    SubGroup sub;
    const size_t colon = text.find(':');
    std::string path = colon == std::string::npos ? text : text.substr(colon + 1);
    if (colon != std::string::npos)
        for (const std::string_view name : split(std::string_view(text).substr(0, colon), ','))
            sub.controllers.emplace_back(name);
    for (const std::string_view part : split(path, '/'))
        if (part == "..")
            return Error(Errc::bad_config, "exec cgroup '" + text +
                                               "': has a '..' component; it must be a group below "
                                               "the container's own");
    path = clean_path("/" + path);
    sub.path = path == "/" ? "" : path;
    return sub;
}

bool concerns(const SubGroup& sub, const std::string& controller) {
    return sub.controllers.empty() ||
           std::ranges::find(sub.controllers, controller) != sub.controllers.end();
}

// On v2 a group whose children have controllers takes no process itself; the container's manager
// (a systemd inside, say) has then moved all to groups below. The first that takes us is it.
Status enter_below(Files& files, pid_t pid, const std::string& folder, Status refused) {
    for (const std::string& group : with_descendants(files, folder)) {
        const Result<std::string> procs = files.read(group, "cgroup.procs");
        if (!procs || trim(*procs).empty())
            continue;
        if (files.write(group, "cgroup.procs", std::to_string(pid)))
            return {};
    }
    return refused;
}

Error no_group(const std::string& sub, const std::string& controller) {
    return Error(Errc::bad_config,
                 "exec cgroup '" + sub + "': the container has no " + controller + " group");
}

}  // namespace

Status FsDriver::join(pid_t pid, const std::string& sub) {
    HARDRUN_TRY(const SubGroup below, parse_sub(sub));
    for (const std::string& controller : below.controllers)
        if (!setup_.location.folders.contains(controller))
            return no_group(sub, controller);
    std::set<std::string> done;
    for (const auto& [controller, folder] : setup_.location.folders) {
        std::string target = folder;
        if (concerns(below, controller))
            target += below.path;
        if (!done.insert(target).second)
            continue;
        Status entered = enter_folder(pid, target);
        if (!entered && entered.error().sys_errno() == EBUSY && controller.empty())
            entered = enter_below(*files_, pid, target, std::move(entered));
        HARDRUN_CHECK(std::move(entered));
    }
    return {};
}

}  // namespace hardrun::cgroup
