// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/record.h"

#include "runtime/base/json_value.h"
#include "runtime/base/json_writer.h"

namespace hardrun::state {
namespace {

using json::Value;
using json::Writer;

void write_map(Writer& w, std::string_view key, const std::map<std::string, std::string>& map) {
    w.key(key).begin_object();
    for (const auto& [k, v] : map)
        w.field(k, v);
    w.end_object();
}

void write_pid(Writer& w, std::string_view key, const PidIdentity& pid) {
    w.key(key).begin_object().field("pid", pid.pid).field("startTime", pid.start_time).end_object();
}

void write_namespace(Writer& w, std::string_view key, const NamespaceId& ns) {
    w.key(key).begin_object().field("device", ns.device).field("inode", ns.inode).end_object();
}

// A reader that remembers the first thing that was wrong, so that the list of fields reads as a
// list.
class Reader {
  public:
    explicit Reader(const Value& object) : object_(object) {}

    std::string text(std::string_view key) {
        const Value* v = object_.find(key);
        if (v != nullptr && v->as_string() != nullptr)
            return *v->as_string();
        complain(key, "a string");
        return {};
    }
    template <class T>
    T number(std::string_view key) {
        const Value* v = object_.find(key);
        const auto n = v == nullptr ? std::nullopt : v->as_int();
        const auto u = v == nullptr ? std::nullopt : v->as_uint();
        if (n && std::in_range<T>(*n))
            return static_cast<T>(*n);
        if (u && std::in_range<T>(*u))
            return static_cast<T>(*u);
        complain(key, "a number");
        return {};
    }
    bool flag(std::string_view key) {
        const Value* v = object_.find(key);
        if (v != nullptr && v->as_bool())
            return *v->as_bool();
        complain(key, "true or false");
        return false;
    }
    std::map<std::string, std::string> map(std::string_view key) {
        std::map<std::string, std::string> out;
        const Value* v = object_.find(key);
        if (v == nullptr || v->as_object() == nullptr) {
            complain(key, "an object");
            return out;
        }
        for (const json::Member& m : *v->as_object())
            if (const std::string* s = m.value.as_string(); s != nullptr)
                out[m.key] = *s;
        return out;
    }
    const Value& object(std::string_view key) {
        static const Value kNone;
        const Value* v = object_.find(key);
        if (v != nullptr && v->as_object() != nullptr)
            return *v;
        complain(key, "an object");
        return kNone;
    }
    // What `read` makes of the object at `key`; what is wrong in there is wrong here.
    template <class T>
    T nested(std::string_view key, T (*read)(Reader&)) {
        Reader inner(object(key));
        T out = read(inner);
        if (wrong_.empty() && !inner.wrong_.empty())
            wrong_ = std::string(key) + "." + inner.wrong_;
        return out;
    }
    const std::string& wrong() const { return wrong_; }

  private:
    void complain(std::string_view key, std::string_view expected) {
        if (wrong_.empty())
            wrong_ = std::string(key) + ": expected " + std::string(expected);
    }
    const Value& object_;
    std::string wrong_;
};

PidIdentity read_pid(Reader& r) {
    return {r.number<pid_t>("pid"), r.number<uint64_t>("startTime")};
}

NamespaceId read_namespace(Reader& r) {
    return {r.number<uint64_t>("device"), r.number<uint64_t>("inode")};
}

RootId read_root(Reader& r) {
    return {r.number<uint64_t>("mountId"), r.number<uint64_t>("inode"),
            r.number<uint32_t>("devMajor"), r.number<uint32_t>("devMinor")};
}

}  // namespace

std::string to_json(const Record& record) {
    Writer w;
    w.begin_object()
        .field("version", record.version)
        .field("id", record.id)
        .field("bundle", record.bundle);
    w.field("rootfs", record.rootfs)
        .field("ociVersion", record.oci_version)
        .field("created", record.created);
    w.field("ownerUid", record.owner_uid)
        .field("profile", record.profile)
        .field("complete", record.complete);
    w.field("ownPidNamespace", record.own_pid_namespace);
    write_map(w, "annotations", record.annotations);
    write_pid(w, "init", record.init);
    write_pid(w, "creator", record.creator);
    w.key("root")
        .begin_object()
        .field("mountId", record.root.mount_id)
        .field("inode", record.root.inode);
    w.field("devMajor", record.root.dev_major)
        .field("devMinor", record.root.dev_minor)
        .end_object();
    write_map(w, "cgroupFolders", record.cgroup_folders);
    w.field("systemdUnit", record.systemd_unit);
    write_namespace(w, "uplink", record.uplink);
    write_namespace(w, "cell", record.cell);
    w.field("cellFd", record.cell_fd).end_object();
    return w.take() + "\n";
}

Result<Record> parse_record(std::string_view text) {
    HARDRUN_TRY(const Value root, json::parse(text));
    Reader r(root);
    Record out;
    out.version = r.number<int>("version");
    if (r.wrong().empty() && (out.version < 1 || out.version > kRecordVersion))
        return Error(Errc::unsupported,
                     "version " + std::to_string(out.version) + ": this hardrun knows up to " +
                         std::to_string(kRecordVersion) + "; use the newer one for this container");
    out.id = r.text("id");
    out.bundle = r.text("bundle");
    out.rootfs = r.text("rootfs");
    out.oci_version = r.text("ociVersion");
    out.created = r.text("created");
    out.owner_uid = r.number<uint32_t>("ownerUid");
    out.annotations = r.map("annotations");
    out.profile = r.text("profile");
    out.complete = r.flag("complete");
    out.own_pid_namespace = r.flag("ownPidNamespace");
    out.init = r.nested("init", read_pid);
    out.creator = r.nested("creator", read_pid);
    out.root = r.nested("root", read_root);
    out.cgroup_folders = r.map("cgroupFolders");
    out.systemd_unit = r.text("systemdUnit");
    out.uplink = r.nested("uplink", read_namespace);
    out.cell = r.nested("cell", read_namespace);
    out.cell_fd = r.number<int>("cellFd");
    if (!r.wrong().empty())
        return Error(Errc::bad_config, r.wrong());
    return out;
}

}  // namespace hardrun::state
