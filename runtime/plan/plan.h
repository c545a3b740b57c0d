// SPDX-License-Identifier: Apache-2.0
// What is to be made, decided to the end: names are numbers, options are flags, orders are lists.
// Paths of the host are still paths; runtime/launch opens them and lays the rest out for init.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/harden.h"

namespace hardrun::plan {

struct NamespaceJoin {
    uint64_t type = 0;  // CLONE_NEW*
    std::string path;
    std::string json_path;
};

struct Namespaces {
    uint64_t created = 0;               // CLONE_NEW*
    std::vector<NamespaceJoin> joined;  // in the order to join them: user first
    std::vector<config::IdMap> uid_map;
    std::vector<config::IdMap> gid_map;
};

enum class MountKind : uint8_t { bind, filesystem, cgroup };

struct FsOption {
    std::string key;
    std::optional<std::string> value;  // absent: a flag
};

struct Mount {
    std::string json_path;  // "mounts[3]"
    MountKind kind = MountKind::filesystem;
    std::string source;  // bind: a path of the host
    std::string fstype;
    std::vector<FsOption> fs_options;
    std::string target;  // below the root, no leading slash
    config::MountOptions options;
    bool plain_target = false;
    bool below_proc = false;
    bool late_readonly = false;
    bool keep_mode = false;
    bool in_cell = false;
};

struct Device {
    std::string json_path;
    std::string path;   // below the root
    uint32_t mode = 0;  // with S_IFCHR, S_IFBLK or S_IFIFO
    uint32_t major = 0;
    uint32_t minor = 0;
    uint32_t uid = 0;
    uint32_t gid = 0;
    bool bind = false;  // the host's node, where none may be made
};

struct Sysctl {
    std::string name;  // as written
    std::string path;  // below /proc/sys
    std::string value;
    bool network = false;
};

struct Identity {
    config::User user;
    uint64_t bounding = 0;
    uint64_t effective = 0;
    uint64_t permitted = 0;
    uint64_t inheritable = 0;
    uint64_t ambient = 0;
    bool no_new_privs = false;
};

struct Process {
    std::vector<std::string> args;
    std::vector<std::string> env;
    bool home_missing = false;
    std::string cwd;
    std::vector<std::string> candidates;  // where args[0] may be
    bool searched = false;                // through PATH
    bool terminal = false;
    config::ConsoleSize console_size;
    std::vector<config::Rlimit> rlimits;
    std::optional<int> oom_score_adj;
    Identity identity;
    std::string apparmor_exec;
    std::string selinux_exec;
};

class Plan {
  public:
    Namespaces namespaces;
    bool readonly_root = false;
    uint64_t host_propagation = 0;
    uint64_t root_propagation = 0;
    std::vector<Mount> mounts;
    std::vector<Device> devices;
    std::vector<std::pair<std::string, std::string>> links;  // path below the root, target
    std::vector<Sysctl> sysctls;
    std::vector<std::string> readonly_paths;
    std::vector<std::string> masked_paths;
    std::string hostname;
    std::string domainname;
    config::NetworkPlace network = config::NetworkPlace::engine;
    std::optional<Process> process;

  private:
    friend Result<Plan> make_plan(const config::HardenedSpec& hardened, const KernelFacts& facts);
    Plan() = default;
};

// Errors: bad_config, unsupported; each with the JSON path.
Result<Plan> make_plan(const config::HardenedSpec& hardened, const KernelFacts& facts);

// The same for the process of an exec. `config::harden_exec` has been applied.
Result<Process> plan_process(const config::Process& process, const KernelFacts& facts);

}  // namespace hardrun::plan
