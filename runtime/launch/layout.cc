// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/layout.h"

#include <linux/mount.h>

#include "config/names.h"

namespace hardrun::launch {
namespace {

int keep(Layout& layout, const Fd& fd) {
    if (fd.valid())
        layout.kept.push_back(fd.get());
    return fd.get();
}

init::MountOp mount_op(Arena& arena, const OpenedMount& opened, Layout& layout) {
    const plan::Mount& m = opened.mount;
    auto pairs = arena.array<init::KeyValue>(m.fs_options.size());
    for (size_t i = 0; i < pairs.size(); ++i)
        pairs[i] = {arena.text(m.fs_options[i].key),
                    m.fs_options[i].value ? arena.text(*m.fs_options[i].value) : nullptr};
    init::MountOp op;
    op.tree_fd = keep(layout, opened.tree);
    op.fstype = m.fstype.empty() ? nullptr : arena.text(m.fstype);
    op.config = {pairs.data(), pairs.size()};
    op.target = arena.text(m.target);
    op.attr_set = m.options.attr_set;
    op.attr_clear = m.options.attr_clear;
    op.rec_set = m.options.rec_set;
    op.rec_clear = m.options.rec_clear;
    op.propagation = arena.slice(m.options.propagation);
    op.make = opened.file ? init::Target::file : init::Target::directory;
    op.plain_target = m.plain_target;
    op.below_proc = m.below_proc;
    op.late_readonly = m.late_readonly;
    op.copy_up = m.options.copy_up;
    op.keep_mode = m.keep_mode;
    op.in_cell = m.in_cell;
    return op;
}

void lay_out_mounts(Arena& arena, const Sources& sources, Layout& layout) {
    auto ops = arena.array<init::MountOp>(sources.mounts.size());
    for (size_t i = 0; i < ops.size(); ++i) {
        ops[i] = mount_op(arena, sources.mounts[i], layout);
        layout.names.mounts.push_back(sources.mounts[i].mount.json_path + " (/" +
                                      sources.mounts[i].mount.target + ")");
    }
    arena.plan().mounts = {ops.data(), ops.size()};
}

void lay_out_devices(Arena& arena, const Sources& sources, Layout& layout) {
    auto ops = arena.array<init::DeviceOp>(sources.devices.size());
    for (size_t i = 0; i < ops.size(); ++i) {
        const plan::Device& d = sources.devices[i].device;
        ops[i] = {.path = arena.text(d.path),
                  .mode = d.mode,
                  .major = d.major,
                  .minor = d.minor,
                  .uid = d.uid,
                  .gid = d.gid,
                  .bind_fd = keep(layout, sources.devices[i].tree)};
        layout.names.devices.push_back(d.json_path + " (/" + d.path + ")");
    }
    arena.plan().devices = {ops.data(), ops.size()};
    auto links = arena.array<init::LinkOp>(sources.links.size());
    for (size_t i = 0; i < links.size(); ++i)
        links[i] = {arena.text(sources.links[i].first), arena.text(sources.links[i].second)};
    arena.plan().links = {links.data(), links.size()};
}

void lay_out_sysctls(Arena& arena, const plan::Plan& plan, Layout& layout) {
    auto ops = arena.array<init::SysctlOp>(plan.sysctls.size());
    for (size_t i = 0; i < ops.size(); ++i) {
        const plan::Sysctl& s = plan.sysctls[i];
        ops[i] = {arena.text(s.path), arena.text(s.value), s.network};
        layout.names.sysctls.push_back("linux.sysctl[\"" + s.name + "\"]");
    }
    arena.plan().sysctls = {ops.data(), ops.size()};
}

void lay_out_seals(Arena& arena, const plan::Plan& plan, Layout& layout) {
    auto readonly = arena.array<init::MountOp>(plan.readonly_paths.size());
    for (size_t i = 0; i < readonly.size(); ++i) {
        readonly[i].target = arena.text(plan.readonly_paths[i]);
        layout.names.readonly_paths.push_back("linux.readonlyPaths[" + std::to_string(i) + "]");
    }
    arena.plan().readonly_paths = {readonly.data(), readonly.size()};
    const char** const masked = arena.texts(plan.masked_paths);
    for (size_t i = 0; i < plan.masked_paths.size(); ++i)
        layout.names.masked_paths.push_back("linux.maskedPaths[" + std::to_string(i) + "]");
    arena.plan().masked_paths = {masked, plan.masked_paths.size()};
}

init::Identity identity_of(Arena& arena, const plan::Identity& identity) {
    init::Identity out;
    out.uid = identity.user.uid;
    out.gid = identity.user.gid;
    out.groups = arena.slice(identity.user.additional_gids);
    out.set_capabilities = true;
    out.bounding = identity.bounding;
    out.effective = identity.effective;
    out.permitted = identity.permitted;
    out.inheritable = identity.inheritable;
    out.ambient = identity.ambient;
    out.no_new_privs = identity.no_new_privs;
    out.set_umask = identity.user.umask.has_value();
    out.umask = identity.user.umask.value_or(0);
    return out;
}

init::Program program_of(Arena& arena, const plan::Process& process) {
    init::Program out;
    const char** const candidates = arena.texts(process.candidates);
    out.candidates = {candidates, process.candidates.size()};
    out.searched = process.searched;
    out.argv = arena.texts(process.args);
    out.envp = arena.texts(process.env, process.home_missing ? 1 : 0);
    out.home_slot = process.home_missing ? static_cast<int32_t>(process.env.size()) : -1;
    out.cwd = arena.text(process.cwd);
    return out;
}

const char* text_or_null(Arena& arena, const std::string& text) {
    return text.empty() ? nullptr : arena.text(text);
}

}  // namespace

void lay_out_container(Arena& arena, const plan::Plan& plan, const Sources& sources,
                       Layout& layout) {
    init::InitPlan& out = arena.plan();
    out.root_fd = keep(layout, sources.root);
    out.host_propagation = plan.host_propagation;
    out.root_propagation = plan.root_propagation;
    out.readonly_root = plan.readonly_root;
    lay_out_mounts(arena, sources, layout);
    lay_out_devices(arena, sources, layout);
    lay_out_sysctls(arena, plan, layout);
    lay_out_seals(arena, plan, layout);
    out.hostname = text_or_null(arena, plan.hostname);
    out.domainname = text_or_null(arena, plan.domainname);
}

void lay_out_process(Arena& arena, const plan::Process& process, const plan::SeccompProgram* filter,
                     Layout& layout) {
    init::InitPlan& out = arena.plan();
    out.terminal = process.terminal;
    out.console_rows = static_cast<uint16_t>(process.console_size.height);
    out.console_columns = static_cast<uint16_t>(process.console_size.width);
    auto limits = arena.array<init::RlimitOp>(process.rlimits.size());
    for (size_t i = 0; i < limits.size(); ++i) {
        const config::Rlimit& r = process.rlimits[i];
        limits[i] = {static_cast<uint32_t>(r.resource), r.soft, r.hard};
        layout.names.rlimits.push_back("process.rlimits[" + std::to_string(i) + "] (" +
                                       std::string(config::rlimit_name(r.resource)) + ")");
    }
    out.rlimits = {limits.data(), limits.size()};
    out.identity = identity_of(arena, process.identity);
    out.program = program_of(arena, process);
    out.apparmor_exec = text_or_null(arena, process.apparmor_exec);
    out.selinux_exec = text_or_null(arena, process.selinux_exec);
    if (filter != nullptr) {
        out.seccomp = arena.slice(filter->instructions);
        out.seccomp_flags = filter->flags;
    }
    layout.names.program = process.args.empty() ? "" : process.args.front();
    layout.names.searched = process.searched;
    layout.names.cwd = process.cwd;
    if (!process.apparmor_exec.empty())
        layout.names.apparmor = process.apparmor_exec.substr(std::string_view("exec ").size());
}

void lay_out_joins(Arena& arena, const std::vector<OpenedJoin>& joins, Layout& layout) {
    auto ops = arena.array<init::Join>(joins.size());
    for (size_t i = 0; i < ops.size(); ++i) {
        ops[i] = {keep(layout, joins[i].fd), joins[i].type};
        layout.names.joins.push_back(joins[i].name);
    }
    arena.plan().joins = {ops.data(), ops.size()};
}

}  // namespace hardrun::launch
