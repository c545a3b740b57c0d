// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "runtime/base/file.h"
#include "runtime/base/json_writer.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/container.h"

namespace hardrun::cli {
namespace {

std::string pad(std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

// name:password:UID:..., read here: a static program has no other name service.
std::string owner_of(const state::Record& record) {
    const auto file = read_file(FdRef::cwd(), "/etc/passwd");
    const std::string passwd = file ? *file : "";
    for (const std::string_view line : split(passwd, '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() > 2 && parse_decimal(fields[2]) == record.owner_uid)
            return std::string(fields[0]);
    }
    return "#" + std::to_string(record.owner_uid);
}

std::string table(const std::vector<launch::Container>& containers) {
    std::vector<std::array<std::string, 6>> rows = {
        {"ID", "PID", "STATUS", "BUNDLE", "CREATED", "OWNER"}};
    for (const launch::Container& c : containers) {
        const bool stopped = c.state() == state::State::stopped;
        rows.push_back({c.record().id, std::to_string(stopped ? 0 : c.record().init.pid),
                        std::string(state::name(c.state())), c.record().bundle, c.record().created,
                        owner_of(c.record())});
    }
    std::array<size_t, 6> widths{};
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max({widths[i], row[i].size() + 3, size_t{12}});
    std::string out;
    for (const auto& row : rows) {
        for (size_t i = 0; i + 1 < row.size(); ++i)
            out += pad(row[i], widths[i]);
        out += row.back() + "\n";
    }
    return out;
}

std::string as_json(const std::vector<launch::Container>& containers) {
    json::Writer w;
    w.begin_array();
    for (const launch::Container& c : containers) {
        const state::Record& r = c.record();
        const bool stopped = c.state() == state::State::stopped;
        w.begin_object().field("ociVersion", r.oci_version).field("id", r.id);
        w.field("pid", stopped ? 0 : r.init.pid).field("status", state::name(c.state()));
        w.field("bundle", r.bundle).field("rootfs", r.rootfs).field("created", r.created);
        if (!r.annotations.empty()) {
            w.key("annotations").begin_object();
            for (const auto& [key, value] : r.annotations)
                w.field(key, value);
            w.end_object();
        }
        w.field("owner", owner_of(r)).end_object();
    }
    return w.end_array().take() + "\n";
}

std::string as_ids(const std::vector<launch::Container>& containers) {
    std::string out;
    for (const launch::Container& c : containers)
        out += c.record().id + "\n";
    return out;
}

// One that cannot be read, or was deleted meanwhile, does not hide the others.
Result<std::vector<launch::Container>> all(const Global& global) {
    std::vector<launch::Container> out;
    HARDRUN_TRY(const auto ids, global.store.ids());
    for (const std::string& id : ids) {
        auto container = launch::Container::open(global.store, id);
        if (container)
            out.push_back(*std::move(container));
        else if (container.error().kind() != Errc::not_found)
            log::warning("container " + id + ": " + container.error().what());
    }
    return out;
}

}  // namespace

Result<int> run_list(const Global& global, const Args& args) {
    Options o("list: the containers below --root");
    HARDRUN_CHECK(
        o.add_text("format,f", "table or json").add_flag("quiet,q", "ids only").parse_mixed(args));
    const std::string format = o.text("format", "table");
    if (format != "table" && format != "json")
        return Error(Errc::bad_config, "--format: expected table or json, got \"" + format + "\"");
    HARDRUN_TRY(const auto containers, all(global));
    const std::string text = o.flag("quiet")    ? as_ids(containers)
                             : format == "json" ? as_json(containers)
                                                : table(containers);
    HARDRUN_CHECK(print(text));
    return 0;
}

Result<int> run_state(const Global& global, const Args& args) {
    Options o("state: one container as JSON");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(const std::string id, only_id(o));
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, id));
    HARDRUN_CHECK(print(launch::state_json(container.record(), container.state()) + "\n"));
    return 0;
}

}  // namespace hardrun::cli
