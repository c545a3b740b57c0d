// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/network.h"

#include <linux/sched.h>

#include <fcntl.h>

#include <algorithm>

#include "runtime/launch/namespace_files.h"
#include "runtime/state/pid_identity.h"

namespace hardrun::launch {
namespace {

bool is_sandbox(const config::Spec& spec) {
    for (const char* const key :
         {"io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType"}) {
        const auto it = spec.annotations.find(key);
        if (it != spec.annotations.end() && it->second == "sandbox")
            return true;
    }
    return false;
}

const plan::NamespaceJoin* network_join(const plan::Plan& plan) {
    const auto it = std::ranges::find(plan.namespaces.joined, uint64_t{CLONE_NEWNET},
                                      &plan::NamespaceJoin::type);
    return it == plan.namespaces.joined.end() ? nullptr : &*it;
}

// The cell that belongs to a namespace of some other container: its uplink or the cell itself.
Result<Fd> cell_of(const state::NamespaceId& wanted, const state::Store& store) {
    HARDRUN_TRY(const auto ids, store.ids());
    for (const std::string& id : ids) {
        const auto entry = store.open(id);
        const auto record =
            entry ? entry->read() : Result<state::Record>(Error(Errc::not_found, id));
        // A folder that cannot be read, or is still being made, has no cell to share.
        if (!record || !record->cell.known() ||
            (record->uplink != wanted && record->cell != wanted))
            continue;
        if (auto cell = open_cell(*entry, *record); cell && cell->valid())
            return cell;
    }
    return Fd();
}

}  // namespace

Result<Fd> open_cell(const state::Entry& entry, const state::Record& record) {
    const std::string process = "/proc/" + std::to_string(record.init.pid);
    const std::string held = process + "/fd/" + std::to_string(record.cell_fd);
    const std::string pinned = entry.path() + "/" + kPinnedCell;
    for (const std::string& path : {pinned, process + "/ns/net", held}) {
        auto fd = open_namespace(path, CLONE_NEWNET);
        if (!fd)
            continue;
        HARDRUN_TRY(const state::NamespaceId id, namespace_id(*fd));
        if (id == record.cell)  // and not a namespace of whatever has that pid now
            return fd;
    }
    return Fd();
}

Result<NetworkPlan> plan_network(const NetworkQuestion& q) {
    NetworkPlan out;
    const plan::NamespaceJoin* const join = network_join(q.plan);
    const bool made = (q.plan.namespaces.created & CLONE_NEWNET) != 0;
    out.raise_loopback = made;
    const bool cell = q.plan.network == config::NetworkPlace::cell;
    if (join != nullptr) {
        HARDRUN_TRY(const Fd fd, open_namespace(join->path, CLONE_NEWNET).context(join->json_path));
        HARDRUN_TRY(out.uplink, namespace_id(fd));
        if (cell) {
            HARDRUN_TRY(out.join, cell_of(out.uplink, q.store));
        }
    }
    const bool own_namespace_serves = made && !q.engine_may_plumb;
    out.make_cell = cell && !out.join.valid() && !own_namespace_serves;
    out.stay_in_uplink = out.make_cell && is_sandbox(q.spec);
    return out;
}

}  // namespace hardrun::launch
