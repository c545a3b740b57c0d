// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/exec.h"

#include <unistd.h>

#include "config/names.h"
#include "config/read_spec.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/foreground.h"

namespace hardrun::cli {
namespace {

constexpr uint64_t kMaxId = 4294967294;  // 4294967295 means "no change" to the kernel

Options make_options() {
    Options o("exec: run a further process in a container");
    o.add_text("console-socket", "unix socket that gets the terminal's other end")
        .add_text("pidfd-socket", "not supported yet")
        .add_text("cwd", "working directory")
        .add_texts("env,e", "NAME=value, added to the environment")
        .add_flag("tty,t", "with a terminal")
        .add_text("user,u", "UID[:GID]")
        .add_texts("additional-gids,g", "further groups")
        .add_text("process,p", "file with the whole process object")
        .add_flag("detach,d", "do not wait")
        .add_text("pid-file", "file for the pid")
        .add_text("process-label", "SELinux label")
        .add_text("apparmor", "AppArmor profile")
        .add_flag("no-new-privs", "set-uid programs do not raise privileges")
        .add_texts("cap,c", "capability to add")
        .add_number("preserve-fds", "hand on this many descriptors from 3 on")
        .add_texts("cgroup", "group below the container's")
        .add_flag("ignore-paused", "also in a paused container");
    return o;
}

// UID[:GID] in digits only: a name or a sign must not become somebody else (CVE-2026-30892).
Status set_user(config::User& user, const std::string& text) {
    const size_t colon = text.find(':');
    const auto uid = parse_decimal(std::string_view(text).substr(0, colon), kMaxId);
    const auto gid = colon == std::string::npos
                         ? std::optional<uint64_t>(0)
                         : parse_decimal(std::string_view(text).substr(colon + 1), kMaxId);
    if (!uid || !gid)
        return Error(Errc::bad_config,
                     "--user: expected UID[:GID] in digits, got \"" + text + "\"");
    user.uid = static_cast<uint32_t>(*uid);
    user.gid = static_cast<uint32_t>(*gid);
    return {};
}

Status add_groups(config::User& user, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        const auto gid = parse_decimal(text, kMaxId);
        if (!gid)
            return Error(Errc::bad_config,
                         "--additional-gids: expected a number, got \"" + text + "\"");
        user.additional_gids.push_back(static_cast<uint32_t>(*gid));
    }
    return {};
}

// As runc: into the bounding, effective and permitted sets; inheritable and ambient stay as they
// are (CVE-2022-29162).
void add_caps(config::Process& process, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto cap = config::capability_number(name);
        if (!cap) {
            log::warning("--cap: unknown capability \"" + name + "\", ignored");
            continue;
        }
        if (!process.capabilities)
            process.capabilities = config::Capabilities{};
        for (config::CapList* set :
             {&process.capabilities->bounding, &process.capabilities->effective,
              &process.capabilities->permitted})
            set->push_back(*cap);
    }
}

Status add_env(config::Process& process, const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) {
        if (entry.find('=') == std::string::npos || entry.starts_with('='))
            return Error(Errc::bad_config, "--env: expected NAME=value, got \"" + entry + "\"");
        process.env.push_back(entry);
    }
    return {};
}

Result<config::Process> from_file(const std::string& path) {
    HARDRUN_TRY(const std::string json, read_file(FdRef::cwd(), path).context("--process"));
    config::Notes notes;
    HARDRUN_TRY(config::Process process, config::read_process(json, notes).context(path));
    for (const std::string& warning : notes.warnings)
        log::warning(std::string(path).append(": ").append(warning));
    return process;
}

Result<config::Process> from_options(const Options& o, const launch::StoredSpec& stored) {
    HARDRUN_TRY(config::Process p, launch::default_process(stored));
    p.args.assign(o.words().begin() + 1, o.words().end());
    if (p.args.empty())
        return Error(
            Errc::bad_config,
            "exec: the command is missing; give it after the container's id, or --process");
    p.terminal = o.flag("tty");
    p.console_size.reset();
    if (const std::string cwd = o.text("cwd"); !cwd.empty())
        p.cwd = cwd;
    if (!p.cwd.starts_with('/'))
        return Error(Errc::bad_config, "--cwd: expected an absolute path, got \"" + p.cwd + "\"");
    HARDRUN_CHECK(add_env(p, o.texts("env")));
    if (o.is_set("user"))
        HARDRUN_CHECK(set_user(p.user, o.text("user")));
    HARDRUN_CHECK(add_groups(p.user, o.texts("additional-gids")));
    add_caps(p, o.texts("cap"));
    if (o.is_set("apparmor"))
        p.apparmor_profile = o.text("apparmor");
    if (o.is_set("process-label"))
        p.selinux_label = o.text("process-label");
    if (o.is_set("no-new-privs"))
        p.no_new_privileges = o.flag("no-new-privs");
    return p;
}

Result<launch::ExecOptions> exec_options(const Global& global, const Options& o,
                                         const launch::StoredSpec& stored) {
    if (o.is_set("pidfd-socket"))
        return Error(Errc::unsupported, "--pidfd-socket: not supported by this version of hardrun");
    launch::ExecOptions out;
    HARDRUN_TRY(out.preserve_fds, preserved_fds(o, global));
    HARDRUN_TRY(out.process,
                o.is_set("process") ? from_file(o.text("process")) : from_options(o, stored));
    if (o.is_set("process") && o.flag("tty"))
        out.process.terminal = true;
    out.console_socket = o.text("console-socket");
    out.foreground = !o.flag("detach");
    out.pid_file = o.text("pid-file");
    const auto groups = o.texts("cgroup");
    out.sub_cgroup = groups.empty() ? "" : groups.back();
    out.ignore_paused = o.flag("ignore-paused");
    out.cache_folder = global.cache_folder;
    return out;
}

}  // namespace

Result<int> run_exec(const Global& global, const Args& args) {
    Options o = make_options();
    HARDRUN_CHECK(o.parse(args));
    if (o.words().empty())
        return Error(Errc::bad_config, "the container's id is missing");
    HARDRUN_TRY(const launch::Container container,
                launch::Container::open(global.store, o.words().front()));
    HARDRUN_TRY(const launch::StoredSpec stored, launch::read_stored(container));
    HARDRUN_TRY(const launch::ExecOptions options, exec_options(global, o, stored));
    if (options.foreground) {
        HARDRUN_CHECK(launch::prepare_foreground());
        HARDRUN_CHECK(launch::become_subreaper());
    }
    HARDRUN_TRY(const launch::Executed done, launch::exec(container, stored, options));
    if (!options.foreground)
        return 0;
    return launch::wait_for(done.pid, done.pidfd, done.console);
}

}  // namespace hardrun::cli
