// SPDX-License-Identifier: Apache-2.0
// config-linux.md, without resources and seccomp.
#include "config/checks.h"
#include "config/names.h"
#include "config/readers.h"
#include "runtime/base/text.h"

namespace hardrun::config {
namespace {

Status read_namespace_type(const At& at, Namespace& out, Notes& notes) {
    std::string name;
    HARDRUN_CHECK(read(at, name, notes));
    const auto type = namespace_type(name);
    if (!type)
        return at.expected("a namespace type");
    out.type = *type;
    return {};
}

Status namespace_path(const At& at, const std::string& path) {
    return path.empty() ? Status() : absolute_path(at, path);
}

constexpr Field<Namespace> kNamespace[] = {
    {"type", Need::required, read_namespace_type},
    {"path", Need::optional, checked<&Namespace::path, namespace_path>},
};

Status read_namespace(const At& at, Namespace& out, Notes& notes) {
    return read_fields<Namespace>(at, kNamespace, out, notes);
}

Status some(const At& at, const uint32_t& size) {
    return size > 0 ? Status() : at.expected("a number above 0");
}

constexpr Field<IdMap> kIdMap[] = {
    {"containerID", Need::required, member<&IdMap::container_id>},
    {"hostID", Need::required, member<&IdMap::host_id>},
    {"size", Need::required, checked<&IdMap::size, some>},
};

Status read_id_map(const At& at, IdMap& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<IdMap>(at, kIdMap, out, notes));
    // 4294967295 is no id, so no range may reach it.
    if (uint64_t{out.container_id} + out.size > UINT32_MAX ||
        uint64_t{out.host_id} + out.size > UINT32_MAX)
        return at.wrong("the range goes beyond the last id, 4294967294");
    return {};
}

template <std::vector<IdMap> Linux::*Maps>
Status read_id_maps(const At& at, Linux& out, Notes& notes) {
    constexpr size_t kKernelLimit = 340;  // user_namespaces(7)
    HARDRUN_CHECK(read_each(at, out.*Maps, notes, read_id_map));
    if ((out.*Maps).size() > kKernelLimit)
        return at.wrong("more than 340 entries, the kernel's limit");
    return {};
}

// u is an unbuffered character device, which on Linux is every one of them.
Status read_device_type(const At& at, Device& out, Notes& notes) {
    std::string type;
    HARDRUN_CHECK(read(at, type, notes));
    if (type != "c" && type != "u" && type != "b" && type != "p")
        return at.expected("c, u, b or p");
    out.type = type == "u" ? 'c' : type.front();
    return {};
}

Status permission_bits(const At& at, const std::optional<uint32_t>& mode) {
    // Engines pass st_mode with its type bits (0020666); only the permissions count.
    if (mode && *mode > 0177777)
        return at.expected("a file mode");
    return {};
}

Status optional_id(const At& at, const std::optional<uint32_t>& id) {
    return id ? user_or_group_id(at, *id) : Status();
}

Status device_path(const At& at, const std::string& path) {
    HARDRUN_CHECK(absolute_path(at, path));
    if (clean_path(path) == "/")
        return at.wrong("names no file");
    return {};
}

constexpr Field<Device> kDevice[] = {
    {"type", Need::required, read_device_type},
    {"path", Need::required, checked<&Device::path, device_path>},
    {"major", Need::optional, member<&Device::major>},
    {"minor", Need::optional, member<&Device::minor>},
    {"fileMode", Need::optional, checked<&Device::file_mode, permission_bits>},
    {"uid", Need::optional, checked<&Device::uid, optional_id>},
    {"gid", Need::optional, checked<&Device::gid, optional_id>},
};

Status read_device(const At& at, Device& out, Notes& notes) {
    HARDRUN_CHECK(read_fields<Device>(at, kDevice, out, notes));
    out.path = clean_path(out.path);
    if (out.file_mode)
        out.file_mode = *out.file_mode & 07777;
    const bool numbered = at.value.find("major") != nullptr && at.value.find("minor") != nullptr;
    if (out.type != 'p' && !numbered)
        return at.wrong("a device needs major and minor");
    return {};
}

// "slice:prefix:name" for systemd, else a path below the cgroup root, which ".." could leave.
Status cgroups_path(const At& at, const std::string& path) {
    for (const std::string_view part : split(path, '/'))
        if (part == "..")
            return at.wrong("must not hold '..'");
    if (path.find('\n') != std::string::npos)
        return at.wrong("must not hold a line break");
    return path_length(at, path);
}

// "rslave" and the like are not in the specification but in every engine's files. Our propagation
// of the root is always recursive, so both spellings mean the same.
Status read_propagation(const At& at, Linux& out, Notes& notes) {
    std::string name;
    HARDRUN_CHECK(read(at, name, notes));
    std::string plain = name.starts_with('r') ? name.substr(1) : name;
    if (!plain.empty() && plain != "shared" && plain != "slave" && plain != "private" &&
        plain != "unbindable")
        return at.expected("shared, slave, private or unbindable");
    out.rootfs_propagation = std::move(plain);
    return {};
}

constexpr Field<Linux> kLinux[] = {
    {"namespaces", Need::optional, list_of<&Linux::namespaces, read_namespace>},
    {"uidMappings", Need::optional, read_id_maps<&Linux::uid_mappings>},
    {"gidMappings", Need::optional, read_id_maps<&Linux::gid_mappings>},
    {"devices", Need::optional, list_of<&Linux::devices, read_device>},
    {"cgroupsPath", Need::optional, checked<&Linux::cgroups_path, cgroups_path>},
    {"resources", Need::optional, member<&Linux::resources>},
    {"sysctl", Need::optional, member<&Linux::sysctl>},
    {"seccomp", Need::optional,
     [](const At& at, Linux& out, Notes& notes) { return read(at, out.seccomp.emplace(), notes); }},
    {"rootfsPropagation", Need::optional, read_propagation},
    {"maskedPaths", Need::optional, checked_list<&Linux::masked_paths, absolute_path>},
    {"readonlyPaths", Need::optional, checked_list<&Linux::readonly_paths, absolute_path>},
    {"mountLabel", Need::optional, member<&Linux::mount_label>},
    {"netDevices", Need::not_supported, nullptr},
    {"intelRdt", Need::not_supported, nullptr},
    {"memoryPolicy", Need::not_supported, nullptr},
    {"personality", Need::not_supported, nullptr},
    {"timeOffsets", Need::not_supported, nullptr},
};

}  // namespace

Status read(const At& at, Linux& out, Notes& notes) {
    return read_fields<Linux>(at, kLinux, out, notes);
}

}  // namespace hardrun::config
