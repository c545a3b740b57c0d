// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/container.h"

#include "config/read_spec.h"
#include "runtime/base/json_writer.h"

namespace hardrun::launch {
namespace {

Result<bool> is_frozen(const Container& container) {
    HARDRUN_TRY(const auto groups, container.groups());
    if (groups == nullptr)
        return false;
    HARDRUN_TRY(const cgroup::FreezerState state, groups->freezer_state());
    return state != cgroup::FreezerState::thawed;
}

}  // namespace

Result<Container> Container::open(const state::Store& store, const std::string& id) {
    HARDRUN_TRY(state::Entry entry, store.open(id));
    HARDRUN_TRY(state::Record record, entry.read());
    Container out(std::move(entry), std::move(record));
    HARDRUN_TRY(out.init_, state::open_process(out.record_.init));
    HARDRUN_TRY(const Fd creator, state::open_process(out.record_.creator));
    state::Evidence evidence{.complete = out.record_.complete,
                             .init_alive = out.init_.valid(),
                             .gate_closed = out.entry_.gate_closed(),
                             .creator_alive = creator.valid(),
                             .frozen = false};
    if (evidence.complete && evidence.init_alive) {
        // A group that cannot be read does not make the container disappear.
        const auto frozen = is_frozen(out);
        evidence.frozen = frozen && *frozen;
    }
    out.state_ = state::state_from(evidence);
    return out;
}

Container Container::created(state::Entry entry, state::Record record, Fd init) {
    Container out(std::move(entry), std::move(record));
    out.state_ = state::State::created;
    out.init_ = std::move(init);
    return out;
}

Result<std::unique_ptr<cgroup::Driver>> Container::groups() const {
    if (record_.cgroup_folders.empty() && record_.systemd_unit.empty())
        return std::unique_ptr<cgroup::Driver>();
    return cgroup::open_driver({record_.cgroup_folders, record_.systemd_unit});
}

Result<config::HardenedSpec> Container::hardened(const KernelFacts& facts) const {
    HARDRUN_TRY(const std::string json, entry_.read_config());
    config::Notes notes;  // said at create
    HARDRUN_TRY(config::Spec spec,
                config::read_spec(json, notes).context(entry_.path() + "/config.json"));
    HARDRUN_TRY(const config::Profile profile, config::parse_profile(record_.profile));
    // Refused was at create; what binds an exec does not depend on the bundle's surroundings.
    return config::harden(std::move(spec), profile, facts, {});
}

std::string state_json(const state::Record& record, state::State state) {
    json::Writer w(json::Layout::indented);
    const bool stopped = state == state::State::stopped;
    w.begin_object().field("ociVersion", record.oci_version).field("id", record.id);
    w.field("pid", stopped ? 0 : record.init.pid).field("status", state::name(state));
    w.field("bundle", record.bundle)
        .field("rootfs", record.rootfs)
        .field("created", record.created);
    if (!record.annotations.empty()) {
        w.key("annotations").begin_object();
        for (const auto& [key, value] : record.annotations)
            w.field(key, value);
        w.end_object();
    }
    w.field("owner", "").end_object();
    return w.take();
}

}  // namespace hardrun::launch
