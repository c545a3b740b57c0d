// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/detect.h"

#include <algorithm>
#include <array>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

constexpr std::array<std::string_view, 14> kControllers = {
    "blkio",  "cpu",  "cpuacct", "cpuset",   "devices",    "freezer", "hugetlb",
    "memory", "misc", "net_cls", "net_prio", "perf_event", "pids",    "rdma"};

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto octal = [&](size_t at) { return text[at] >= '0' && text[at] <= '7'; };
        if (text[i] == '\\' && i + 3 < text.size() && octal(i + 1) && octal(i + 2) &&
            octal(i + 3)) {
            out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                     (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::vector<std::string> controllers_of(std::string_view super_options) {
    std::vector<std::string> out;
    for (const std::string_view option : split(super_options, ','))
        if (option.starts_with("name=") ||
            std::ranges::find(kControllers, option) != kControllers.end())
            out.emplace_back(option);
    return out;
}

// The same hierarchy may be mounted again elsewhere; the usual place wins, else the first.
bool preferred(const Hierarchy& fresh, const Hierarchy& known) {
    const auto usual = [](const Hierarchy& h) {
        return h.mount_point.starts_with("/sys/fs/cgroup");
    };
    return usual(fresh) && !usual(known);
}

void add_v1(Host& host, Hierarchy fresh) {
    for (Hierarchy& known : host.v1) {
        if (known.controllers != fresh.controllers)
            continue;
        if (preferred(fresh, known))
            known = std::move(fresh);
        return;
    }
    host.v1.push_back(std::move(fresh));
}

// "/a/b" seen through a mount whose root is "/a" is "/b". What lies outside of the mount cannot be
// reached through it; the mount's own root is then the best there is.
std::string through_mount(const std::string& path, const std::string& root) {
    if (root == "/")
        return path;
    if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/'))
        return path.size() == root.size() ? "/" : path.substr(root.size());
    return "/";
}

std::string joined(const std::string& a, const std::string& b) {
    return clean_path(a + "/" + b);
}

std::string own_folder(const Hierarchy& hierarchy, const std::string& controller,
                       const OwnGroups& own) {
    const auto found = own.find(controller);
    return through_mount(found == own.end() ? "/" : found->second, hierarchy.mount_root);
}

std::string parent_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

Result<std::string> checked_path(const Request& request) {
    const std::string& path = request.cgroups_path.empty() ? request.id : request.cgroups_path;
    const std::string where = "linux.cgroupsPath: '" + path + "': ";
    for (const std::string_view part : split(path, '/'))
        if (part == "..")
            return Error(Errc::bad_config, where +
                                               "has a '..' component, which could leave the "
                                               "place that it names");
    if (path.find('\n') != std::string::npos || path.find('\0') != std::string::npos)
        return Error(Errc::bad_config, where + "has a control character");
    std::string clean = clean_path(path);
    if (clean == "/" || clean == "." || clean.empty())
        return Error(Errc::bad_config,
                     where + "is the root group, whose limits would be the host's; name one below");
    return clean;
}

}  // namespace

Host parse_mountinfo(std::string_view text) {
    Host host;
    for (const std::string_view line : split(text, '\n')) {
        const size_t dash = line.find(" - cgroup");  // both "cgroup" and "cgroup2"
        if (dash == std::string_view::npos)
            continue;
        const auto head = split(line.substr(0, dash), ' ');
        const auto tail = split(line.substr(dash + 3), ' ');
        if (head.size() < 6 || tail.size() < 3)
            continue;
        Hierarchy fresh{unescape(head[4]), unescape(head[3]), {}};
        if (tail[0] == "cgroup2") {
            if (!host.v2 || preferred(fresh, *host.v2))
                host.v2 = std::move(fresh);
        } else if (tail[0] == "cgroup") {
            fresh.controllers = controllers_of(tail[2]);
            if (!fresh.controllers.empty())
                add_v1(host, std::move(fresh));
        }
    }
    return host;
}

OwnGroups parse_own_groups(std::string_view text) {
    OwnGroups own;
    for (const std::string_view line : split(text, '\n')) {
        const size_t first = line.find(':');
        const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos)
            continue;
        const std::string path(line.substr(second + 1));
        for (const std::string_view name : split(line.substr(first + 1, second - first - 1), ','))
            own[std::string(name)] = path;
    }
    return own;
}

Result<Location> locate(const Host& host, const OwnGroups& own, const Request& request) {
    HARDRUN_TRY(const std::string path, checked_path(request));
    const bool absolute = path.starts_with('/');
    Location location;
    const auto place = [&](const Hierarchy& hierarchy, const std::string& controller) {
        std::string base;
        if (!absolute) {
            base = own_folder(hierarchy, controller, own);
            if (host.unified())
                base = parent_of(base);
        }
        location.folders[controller] = joined(joined(hierarchy.mount_point, base), path);
    };
    for (const Hierarchy& hierarchy : host.v1)
        for (const std::string& controller : hierarchy.controllers)
            if (!controller.starts_with("name=") || controller == "name=systemd")
                place(hierarchy, controller);
    if (host.v2)
        place(*host.v2, "");
    if (location.folders.empty())
        return Error(
            Errc::unsupported,
            "no cgroup hierarchy is mounted on this host (see /proc/self/mountinfo); mount "
            "cgroup2 at /sys/fs/cgroup");
    return location;
}

Result<Host> probe_host() {
    HARDRUN_TRY(const std::string text, read_file(FdRef::cwd(), "/proc/self/mountinfo"));
    return parse_mountinfo(text);
}

Result<OwnGroups> probe_own_groups() {
    HARDRUN_TRY(const std::string text, read_file(FdRef::cwd(), "/proc/self/cgroup"));
    return parse_own_groups(text);
}

}  // namespace hardrun::cgroup
