// SPDX-License-Identifier: Apache-2.0
// What is kept of a container on disk, so that any later call, also of the next release, can find
// it again without its bundle. Plain types; record.cc has the JSON form and its version.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/state/pid_identity.h"

namespace hardrun::state {

inline constexpr int kRecordVersion = 1;

struct NamespaceId {
    uint64_t device = 0;
    uint64_t inode = 0;
    bool operator==(const NamespaceId&) const = default;
    bool known() const { return inode != 0; }
};

struct RootId {
    uint64_t mount_id = 0;
    uint64_t inode = 0;
    uint32_t dev_major = 0;
    uint32_t dev_minor = 0;
};

struct Record {
    int version = kRecordVersion;
    std::string id;
    std::string bundle;
    std::string rootfs;
    std::string oci_version;
    std::string created;  // RFC 3339
    uint32_t owner_uid = 0;
    std::map<std::string, std::string> annotations;

    std::string profile;
    bool complete = false;  // create came to its end; false: still at it, or it died
    PidIdentity init;
    PidIdentity creator;  // the process that is at it, while not complete
    RootId root;
    bool own_pid_namespace = true;  // the end of init ends everybody

    std::map<std::string, std::string> cgroup_folders;
    std::string systemd_unit;

    NamespaceId uplink;
    NamespaceId cell;
    int cell_fd = -1;  // in init, until it enters the cell
};

std::string to_json(const Record& record);

// Errors: bad_config with what is wrong in the file; unsupported for a version that is too new.
Result<Record> parse_record(std::string_view text);

}  // namespace hardrun::state
