// SPDX-License-Identifier: Apache-2.0
// The typed form of an OCI config.json (runtime-spec 1.3): what the user or the engine wrote,
// checked for type and range, with nothing defaulted and nothing decided. Only readers in this
// folder fill it. Field order and names follow the specification's config.md and config-linux.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/mount_options.h"
#include "config/resources.h"

namespace hardrun::config {

// ---- process (config.md, "Process") -------------------------------------------------------------

struct ConsoleSize {
    uint32_t height = 0;  // rows
    uint32_t width = 0;   // columns
};

struct User {
    uint32_t uid = 0;
    uint32_t gid = 0;
    std::optional<uint32_t> umask;
    std::vector<uint32_t> additional_gids;
};

struct Rlimit {
    int resource = 0;  // RLIMIT_*
    uint64_t soft = 0;
    uint64_t hard = 0;
};

// Capability numbers in the order in which they were listed, duplicates kept: the baseline
// comparison of hardening.md, section 3, needs both. Unknown names were dropped with a note.
using CapList = std::vector<uint8_t>;

struct Capabilities {
    CapList bounding;
    CapList effective;
    CapList inheritable;
    CapList permitted;
    CapList ambient;
};

uint64_t cap_mask(const CapList& list);

struct Process {
    bool terminal = false;
    std::optional<ConsoleSize> console_size;
    std::string cwd;
    std::vector<std::string> env;  // NAME=value
    std::vector<std::string> args;
    std::vector<Rlimit> rlimits;
    std::optional<std::string> apparmor_profile;
    std::optional<std::string> selinux_label;
    std::optional<Capabilities> capabilities;
    bool no_new_privileges = false;
    std::optional<int> oom_score_adj;
    User user;
};

// ---- root, mounts, hooks ------------------------------------------------------------------------

struct Root {
    std::string path;  // as written: absolute, or relative to the bundle
    bool readonly = false;
};

struct Mount {
    std::string destination;
    std::string type;
    std::string source;
    MountOptions options;
    std::string json_path;  // "mounts[3]", for errors: its place changes when others are added
};

struct Hook {
    std::string path;
    std::vector<std::string> args;
    std::optional<std::vector<std::string>> env;  // absent differs from empty (C33)
    std::optional<uint32_t> timeout_seconds;
};

struct Hooks {
    std::vector<Hook> prestart;
    std::vector<Hook> create_runtime;
    std::vector<Hook> create_container;
    std::vector<Hook> start_container;
    std::vector<Hook> poststart;
    std::vector<Hook> poststop;
};

// ---- linux (config-linux.md) --------------------------------------------------------------------

enum class NamespaceType : uint8_t { pid, network, mount, ipc, uts, user, cgroup, time };

struct Namespace {
    NamespaceType type = NamespaceType::pid;
    std::string path;  // empty: a new one
};

struct IdMap {
    uint32_t container_id = 0;
    uint32_t host_id = 0;
    uint32_t size = 0;
};

struct Device {
    char type = 'c';  // c (u is read as c), b or p
    std::string path;
    uint32_t major = 0;
    uint32_t minor = 0;
    std::optional<uint32_t> file_mode;
    std::optional<uint32_t> uid;
    std::optional<uint32_t> gid;
};

enum class SeccompAction : uint8_t {
    kill_thread,  // SCMP_ACT_KILL, SCMP_ACT_KILL_THREAD
    kill_process,
    trap,
    error,  // SCMP_ACT_ERRNO
    trace,
    allow,
    log,
    notify,
};

enum class SeccompOp : uint8_t { ne, lt, le, eq, ge, gt, masked_eq };

struct SeccompArg {
    uint32_t index = 0;  // 0..5
    uint64_t value = 0;
    uint64_t value_two = 0;
    SeccompOp op = SeccompOp::eq;
};

struct SeccompRule {
    std::vector<std::string> names;
    SeccompAction action = SeccompAction::allow;
    std::optional<uint32_t> errno_ret;
    std::vector<SeccompArg> args;
};

struct Seccomp {
    SeccompAction default_action = SeccompAction::allow;
    std::optional<uint32_t> default_errno_ret;
    std::vector<std::string> architectures;  // SCMP_ARCH_*, known ones
    std::vector<std::string> flags;          // SECCOMP_FILTER_FLAG_*, known ones
    std::string listener_path;
    std::string listener_metadata;
    std::vector<SeccompRule> syscalls;
};

struct Linux {
    std::vector<Namespace> namespaces;
    std::vector<IdMap> uid_mappings;
    std::vector<IdMap> gid_mappings;
    std::vector<Device> devices;
    std::string cgroups_path;
    Resources resources;
    std::map<std::string, std::string> sysctl;
    std::optional<Seccomp> seccomp;
    std::string
        rootfs_propagation;  // shared, slave, private, unbindable or empty; always recursive
    std::vector<std::string> masked_paths;
    std::vector<std::string> readonly_paths;
    std::string mount_label;
};

struct Spec {
    std::string oci_version;
    std::optional<Process> process;  // absent: can be created, not started
    Root root;
    std::string hostname;
    std::string domainname;
    std::vector<Mount> mounts;
    Hooks hooks;
    std::map<std::string, std::string> annotations;
    Linux linux;
};

}  // namespace hardrun::config
