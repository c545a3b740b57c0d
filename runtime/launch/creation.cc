// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/creation.h"

#include <linux/sched.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "config/read_spec.h"
#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/launch/bundle_facts.h"
#include "runtime/launch/console.h"
#include "runtime/launch/filter.h"
#include "runtime/launch/id_maps.h"
#include "runtime/launch/namespace_files.h"
#include "runtime/launch/phases.h"
#include "runtime/launch/process_setup.h"
#include "runtime/launch/staging.h"
#include "runtime/launch/unix_socket.h"

namespace hardrun::launch {
namespace {

constexpr int kRemoveTimeoutMs = 2000;

state::RootId root_of(const init::RootIdentity& r) {
    return {r.mount_id, r.inode, r.dev_major, r.dev_minor};
}

}  // namespace

Creation::Creation(const state::Store& store, const CreateOptions& options)
    : store_(store), options_(options), facts_(probe_kernel()), undo_(report_undo) {}

Status Creation::read_bundle() {
    HARDRUN_CHECK(state::check_id(options_.id));
    HARDRUN_TRY(bundle_,
                open_at(FdRef::cwd(), options_.bundle, O_PATH | O_DIRECTORY).context("--bundle"));
    HARDRUN_TRY(config_json_, read_regular_file(bundle_, "config.json").context(options_.bundle));
    config::Notes notes;
    HARDRUN_TRY(config::Spec spec, config::read_spec(config_json_, notes).context("config.json"));
    for (const std::string& warning : notes.warnings)
        log::warning("config.json: " + warning);
    record_.oci_version = spec.oci_version;
    record_.annotations = spec.annotations;
    // compat asks nothing, so nothing is looked up for it.
    if (options_.profile != config::Profile::compat)
        bundle_facts_ = gather_bundle_facts(spec, bundle_, options_.id);
    HARDRUN_TRY(hardened_,
                config::harden(std::move(spec), options_.profile, facts_, bundle_facts_));
    for (const config::Finding& finding : hardened_->findings())
        log::info(std::string(finding.rule) + ": " + finding.what);
    HARDRUN_TRY(plan_, plan::make_plan(*hardened_, facts_));
    if (plan_->process)
        plan_->process->env.insert(plan_->process->env.end(), options_.extra_env.begin(),
                                   options_.extra_env.end());
    HARDRUN_CHECK(check_terminal(plan_->process, options_.console_socket, options_.foreground));
    if (!options_.console_socket.empty()) {
        HARDRUN_TRY(console_socket_, connect_console(options_.console_socket));
    }
    return {};
}

Status Creation::open_network() {
    const bool plumbed = needs_hooks() || !options_.run;
    HARDRUN_TRY(network_, plan_network({*plan_, hardened_->spec(), store_, plumbed}));
    record_.uplink = network_.uplink;
    return {};
}

Status Creation::claim_id() {
    HARDRUN_TRY(entry_, store_.create(options_.id));
    undo_.push("state folder", [this] { return remove_folder(); });
    const std::string& rootfs = hardened_->spec().root.path;
    record_.id = options_.id;
    record_.bundle = options_.bundle;
    record_.rootfs = rootfs.starts_with('/') ? rootfs : options_.bundle + "/" + rootfs;
    record_.own_pid_namespace = (plan_->namespaces.created & CLONE_NEWPID) != 0;
    record_.created = rfc3339_now();
    record_.owner_uid = ::geteuid();
    record_.profile = config::name(options_.profile);
    HARDRUN_TRY(record_.creator, state::identify(::getpid()));
    HARDRUN_TRY(groups_, cgroup::make_driver({.id = options_.id,
                                              .cgroups_path = hardened_->spec().linux.cgroups_path,
                                              .systemd = options_.systemd_cgroup,
                                              .rootless = ::geteuid() != 0}));
    record_.cgroup_folders = groups_->location().folders;
    record_.systemd_unit = groups_->location().systemd_unit;
    HARDRUN_CHECK(entry_->write_config(config_json_));
    return write_record();
}

// Once the first hooks have begun, the last ones follow whatever comes between (runtime.md,
// "Lifecycle"); whoever removes the folder runs them.
Status Creation::remove_folder() {
    HARDRUN_TRY(const auto removed, entry_->remove());
    if (hooks_began_ && removed == state::Entry::Removed::by_us)
        run_poststop(hardened_->spec().hooks.poststop, record_);
    return {};
}

// Gone meanwhile means that somebody deleted it by force: then there is nothing more to make.
Status Creation::write_record() {
    HARDRUN_TRY(const state::Lock lock, entry_->lock());
    return entry_->write(record_);
}

Status Creation::make_groups() {
    HARDRUN_CHECK(groups_->prepare(hardened_->spec().linux.resources));
    undo_.push("cgroup", [this] { return groups_->remove(kRemoveTimeoutMs); });
    return {};
}

Status Creation::open_joins() {
    for (const plan::NamespaceJoin& join : plan_->namespaces.joined) {
        if (join.type == CLONE_NEWNET && network_.join.valid()) {
            joins_.push_back({join.type, std::move(network_.join), join.json_path});
            continue;
        }
        HARDRUN_TRY(Fd fd, open_namespace(join.path, join.type).context(join.json_path));
        joins_.push_back({join.type, std::move(fd), join.json_path + " (" + join.path + ")"});
    }
    return {};
}

Status Creation::open_gate_socket() {
    if (options_.run)
        return {};
    HARDRUN_TRY(gate_, listen_in(entry_->dir(), state::kGateFile).context(entry_->path()));
    return {};
}

Status Creation::lay_out(Arena& arena) {
    init::InitPlan& out = arena.plan();
    out.mode = init::Mode::create;
    out.gate_fd = gate_.get();
    out.preserve_fds = options_.preserve_fds;
    lay_out_joins(arena, joins_, layout_);
    lay_out_container(arena, *plan_, sources_, layout_);
    out.root_path = arena.text(record_.rootfs);
    if (plan_->process) {
        HARDRUN_TRY(const auto filter, filter_of(hardened_->spec().linux, options_.cache_folder));
        lay_out_process(arena, *plan_->process, filter ? &*filter : nullptr, layout_);
        out.console_node = plan_->process->terminal && !plan_->devices.empty();
    } else {
        out.program.cwd = arena.text("/");
        out.identity.set_capabilities = true;  // none
    }
    const uint64_t created = plan_->namespaces.created;
    bool joins_pid = false;
    bool joins_user = false;
    for (const OpenedJoin& join : joins_) {
        joins_pid = joins_pid || join.type == CLONE_NEWPID;
        joins_user = joins_user || join.type == CLONE_NEWUSER;
    }
    // What a joined user namespace is to own can only be made after the join.
    if (joins_user)
        out.unshare_flags = created & ~uint64_t{CLONE_NEWPID | CLONE_NEWCGROUP | CLONE_NEWTIME};
    out.fork_flags = joins_user ? created & (CLONE_NEWPID | CLONE_NEWTIME) : 0;
    out.fork_early = joins_pid || out.fork_flags != 0;
    out.new_cgroup_ns = (created & CLONE_NEWCGROUP) != 0;
    out.raise_loopback = network_.raise_loopback;
    out.cell = network_.make_cell;
    out.stay_in_uplink = network_.stay_in_uplink;
    out.run_hooks = needs_hooks();
    out.no_pivot = options_.no_pivot;
    out.new_keyring = options_.new_keyring;
    out.keyring_name = arena.text("_ses." + options_.id);
    if (gate_.valid())
        layout_.kept.push_back(gate_.get());
    return {};
}

Status Creation::spawn_init() {
    HARDRUN_CHECK(open_gate_socket());
    HARDRUN_CHECK(open_joins());
    HARDRUN_TRY(sources_,
                open_sources(*plan_, record_.rootfs, bundle_, groups_->location(), bundle_facts_));
    HARDRUN_TRY(Arena arena, Arena::make());
    HARDRUN_CHECK(lay_out(arena));
    HARDRUN_TRY(const Fd cgroup, groups_->clone_target());
    Staging staging;
    if (sources_.user_namespace && (plan_->namespaces.created & CLONE_NEWNS) != 0)
        HARDRUN_CHECK(staging.enter(entry_->path(), sources_, arena));
    SpawnRequest request{
        .clone_flags = 0, .cgroup_fd = cgroup.get(), .kept = layout_.kept, .stdio = {}};
    if (arena.plan().unshare_flags == 0 && arena.plan().fork_flags == 0)
        request.clone_flags = plan_->namespaces.created & ~uint64_t{CLONE_NEWCGROUP};
    HARDRUN_TRY(init_, spawn(arena, request));
    undo_.push("init", [this] { return end_child(init_.pid); });
    HARDRUN_CHECK(staging.leave());
    sources_ = {};
    joins_.clear();
    gate_.reset();
    return {};
}

// Init may be at work beside us; where it has failed meanwhile, its words are the reason.
Status Creation::place_init() {
    Status placed = place();
    if (placed)
        return placed;
    const auto failure = failure_so_far(init_.sync);
    return failure ? Status(describe(*failure, layout_.names)) : placed;
}

Status Creation::place() {
    const config::Spec& spec = hardened_->spec();
    if ((plan_->namespaces.created & CLONE_NEWUSER) != 0) {
        HARDRUN_CHECK(
            write_id_maps(init_.pid, plan_->namespaces.uid_map, plan_->namespaces.gid_map));
        HARDRUN_CHECK(say_go(init_.sync));
    }
    HARDRUN_TRY(record_.init, state::identify(init_.pid));
    const auto membership = (plan_->namespaces.created & CLONE_NEWCGROUP) != 0
                                ? cgroup::Membership::all
                                : cgroup::Membership::but_memory;
    HARDRUN_CHECK(groups_->enter(init_.pid, spec.linux.resources, membership));
    if (plan_->process)
        HARDRUN_CHECK(set_oom_score_adj(init_.pid, plan_->process->oom_score_adj));
    return say_go(init_.sync);
}

// After a second fork the conversation goes on with another process, which is ours as well.
Status Creation::switch_to(pid_t pid) {
    const pid_t before = init_.pid;
    init_.pid = pid;
    while (::waitpid(before, nullptr, 0) < 0 && errno == EINTR) {
    }
    HARDRUN_TRY(record_.init, state::identify(pid));
    HARDRUN_TRY(init_.pidfd, open_child(pid));
    return write_record();
}

Status Creation::follow_init() {
    bool ready = false;
    while (!ready) {
        HARDRUN_TRY(Heard heard, hear(init_.sync));
        if (heard.closed)
            return died(init_.pid);
        ready = heard.message.word == init::Word::ready;
        HARDRUN_CHECK(answer(std::move(heard)));
    }
    return {};
}

Status Creation::answer(Heard heard) {
    switch (heard.message.word) {
        case init::Word::forked:
            HARDRUN_CHECK(switch_to(heard.message.pid));
            return say_go(init_.sync);
        case init::Word::prepared:
            HARDRUN_CHECK(write_record());  // a hook may hang, and delete must find init then
            HARDRUN_CHECK(run_hooks());
            return say_go(init_.sync);
        case init::Word::console:
            return take_console(std::move(heard.fd));
        case init::Word::ready:
            return hear_ready(heard.message, std::move(heard.fd));
        case init::Word::failed:
            return describe(heard.message, layout_.names);
        case init::Word::go:
            break;
    }
    return Error(Errc::internal, "an unexpected word from init");
}

bool Creation::needs_hooks() const {
    const config::Hooks& hooks = hardened_->spec().hooks;
    return !hooks.prestart.empty() || !hooks.create_runtime.empty() ||
           !hooks.create_container.empty();
}

Status Creation::run_hooks() {
    hooks_began_ = true;
    const config::Hooks& hooks = hardened_->spec().hooks;
    const HookSituation now{record_, state::State::creating, init_.pidfd.get()};
    HARDRUN_CHECK(run_phase(Phase::prestart, hooks.prestart, now));
    HARDRUN_CHECK(run_phase(Phase::create_runtime, hooks.create_runtime, now));
    return run_in_namespaces(Phase::create_container, hooks.create_container, now);
}

Status Creation::take_console(Fd master) {
    if (console_socket_.valid())
        return send_console(console_socket_, master);
    console_ = std::move(master);
    return {};
}

Status Creation::hear_ready(const init::Message& message, Fd cell) {
    record_.root = root_of(message.root);
    record_.cell_fd = message.cell_fd;
    HARDRUN_TRY(const Fd here,
                open_namespace("/proc/" + std::to_string(init_.pid) + "/ns/net", CLONE_NEWNET));
    HARDRUN_TRY(const state::NamespaceId now, namespace_id(here));
    if (cell.valid()) {
        record_.uplink = now;
        HARDRUN_TRY(record_.cell, namespace_id(cell));
        if (network_.stay_in_uplink)
            return entry_->pin(kPinnedCell, cell);
    } else if (plan_->network == config::NetworkPlace::cell) {
        record_.cell = now;  // the only namespace there is, or another container's cell
    }
    return {};
}

Status Creation::settle() {
    HARDRUN_CHECK(groups_->settle(init_.pid, hardened_->spec().linux.resources));
    record_.cgroup_folders = groups_->location().folders;
    record_.systemd_unit = groups_->location().systemd_unit;
    record_.complete = true;
    HARDRUN_CHECK(write_record());
    if (!options_.pid_file.empty())
        HARDRUN_CHECK(write_pid_file(options_.pid_file, init_.pid));
    return options_.run ? Status() : leave_at_gate();
}

// Init closes the conversation when it no longer dies with us; before that we must not end.
Status Creation::leave_at_gate() {
    HARDRUN_CHECK(say_go(init_.sync));
    HARDRUN_TRY(const Heard heard, hear(init_.sync));
    return heard.closed ? Status() : Status(describe(heard.message, layout_.names));
}

Created Creation::finish() {
    undo_.commit();
    return {.container =
                Container::created(*std::move(entry_), std::move(record_), std::move(init_.pidfd)),
            .spec = *std::move(hardened_),
            .facts = facts_,
            .groups = std::move(groups_),
            .sync = std::move(init_.sync),
            .console = std::move(console_)};
}

}  // namespace hardrun::launch
