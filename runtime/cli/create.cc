// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/create.h"

#include <sys/wait.h>

#include <signal.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "runtime/base/log.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/foreground.h"
#include "runtime/launch/remove.h"
#include "runtime/launch/start.h"

namespace hardrun::cli {
namespace {

Options& add_create_options(Options& o) {
    return o.add_text("bundle,b", "the bundle's folder (default: the current one)")
        .add_text("console-socket", "unix socket that gets the terminal's other end")
        .add_text("pidfd-socket", "not supported yet")
        .add_text("pid-file", "file for the first process's pid")
        .add_flag("no-pivot", "chroot instead of pivot_root: for an initramfs")
        .add_flag("no-new-keyring", "keep the caller's session keyring")
        .add_number("preserve-fds", "hand on this many descriptors from 3 on");
}

Result<std::string> absolute(const std::string& path) {
    char resolved[PATH_MAX];
    if (::realpath(path.c_str(), resolved) == nullptr)
        return Error::sys("--bundle " + path);
    return std::string(resolved);
}

Result<launch::CreateOptions> create_options(const Global& global, const Options& o) {
    if (o.is_set("pidfd-socket"))
        return Error(Errc::unsupported, "--pidfd-socket: not supported by this version of hardrun");
    launch::CreateOptions out;
    HARDRUN_TRY(out.id, only_id(o));
    HARDRUN_TRY(out.bundle, absolute(o.text("bundle", ".")));
    HARDRUN_TRY(Listening sockets, listening(global));
    Global others = global;  // --preserve-fds counts on from there
    others.inherited_fds -= sockets.count;
    HARDRUN_TRY(out.preserve_fds, preserved_fds(o, others));
    out.preserve_fds += sockets.count;
    out.extra_env = std::move(sockets.env);
    out.profile = global.profile;
    out.systemd_cgroup = global.systemd_cgroup;
    out.console_socket = o.text("console-socket");
    out.pid_file = o.text("pid-file");
    out.no_pivot = o.flag("no-pivot");
    out.new_keyring = !o.flag("no-new-keyring");
    out.cache_folder = global.cache_folder;
    return out;
}

void warn(const Status& removed, const std::string& id) {
    if (!removed)
        log::warning("delete " + id + ": " + removed.error().what());
}

}  // namespace

Result<int> run_create(const Global& global, const Args& args) {
    Options o("create: make a container that waits for `start`");
    HARDRUN_CHECK(add_create_options(o).parse_mixed(args));
    HARDRUN_TRY(const launch::CreateOptions options, create_options(global, o));
    HARDRUN_TRY(const launch::Created created, launch::create(global.store, options));
    return 0;
}

Result<int> run_run(const Global& global, const Args& args) {
    Options o("run: create a container, start it, and wait for its end");
    add_create_options(o)
        .add_flag("detach,d", "do not wait")
        .add_flag("keep", "do not delete the container at its end")
        .add_flag("no-subreaper", "leave orphans of the container to the system");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(launch::CreateOptions options, create_options(global, o));
    const bool detach = o.flag("detach");
    options.run = true;
    options.foreground = !detach;
    if (!detach) {
        HARDRUN_CHECK(launch::prepare_foreground());
        if (!o.flag("no-subreaper"))
            HARDRUN_CHECK(launch::become_subreaper());
    }
    HARDRUN_TRY(launch::Created created, launch::create(global.store, options));
    if (Status started = launch::start(created); !started) {
        warn(launch::remove(global.store, options.id, launch::Force::yes), options.id);
        return std::move(started).error();
    }
    if (detach)
        return 0;
    const launch::Container& container = created.container;
    auto status = launch::wait_for(container.record().init.pid, container.init(), created.console);
    if (!o.flag("keep"))
        warn(launch::remove(global.store, created), options.id);
    return status;
}

Result<int> run_start(const Global& global, const Args& args) {
    Options o("start: let a created container's program run");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(const std::string id, only_id(o));
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, id));
    HARDRUN_CHECK(launch::start(container));
    return 0;
}

}  // namespace hardrun::cli
