// SPDX-License-Identifier: Apache-2.0
// What the init program is to do, as plain memory: laid out by the parent in one shared mapping, at
// an address that both sides agree on, so that its pointers hold in both. The parent did all
// thinking; what is left is calls. contrib/design/0001 says why init is a program of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hardrun::init {

// Where the plan is mapped: below the stack and the mmap area, above every sanitizer's shadow, and
// within the smallest address space that the architecture's kernels are built with.
#if defined(__x86_64__)
inline constexpr uintptr_t kPlanAddress = 0x2000'0000'0000;
#elif defined(__aarch64__)
inline constexpr uintptr_t kPlanAddress = 0x40'0000'0000;
#else
#error "hardrun runs on x86_64 and aarch64"
#endif
inline constexpr uint32_t kPlanMagic = 0x68726e31;  // "hrn1"

template <class T>
struct Slice {
    const T* data = nullptr;
    size_t size = 0;
    const T* begin() const { return data; }
    const T* end() const { return data + size; }
    bool empty() const { return size == 0; }
};

// A namespace to join, in the order given. `type` is the CLONE_NEW* flag.
struct Join {
    int32_t fd = -1;
    uint64_t type = 0;
};

// A tree that the parent put into the working directory under `name`, for init to take out of its
// own copy of the mount namespace, in place of `fd`: that one has no locked flags.
struct StagedTree {
    int32_t fd = -1;
    const char* name = nullptr;
};

struct KeyValue {
    const char* key = nullptr;
    const char* value = nullptr;  // null: a flag
};

enum class Target : uint8_t { directory, file };

// One mount. Paths are below the root, without a leading slash, "." for the root itself.
struct MountOp {
    int32_t tree_fd = -1;          // a detached tree from the parent, or -1: made here by fsopen
    const char* fstype = nullptr;  // with tree_fd -1
    Slice<KeyValue> config;        // fsconfig(2) pairs
    const char* target = nullptr;
    uint64_t attr_set = 0;  // MOUNT_ATTR_*
    uint64_t attr_clear = 0;
    uint64_t rec_set = 0;
    uint64_t rec_clear = 0;
    Slice<uint64_t> propagation;  // MS_*, with MS_REC
    Target make = Target::directory;
    bool plain_target = false;   // no symlink on the way: proc and sysfs (CVE-2019-19921)
    bool below_proc = false;     // the parent allowed this target on procfs
    bool late_readonly = false;  // filled first, made read-only when all mounts are in place
    bool copy_up = false;        // tmpcopyup
    bool keep_mode = false;      // a tmpfs without mode=: takes the target's
    bool in_cell = false;        // sysfs: it shows its maker's network namespace for ever
    bool bind_self = false;      // the source is a path below the root: readonlyPaths
};

struct DeviceOp {
    const char* path = nullptr;  // below the root
    uint32_t mode = 0;           // with S_IFCHR, S_IFBLK or S_IFIFO
    uint32_t major = 0;
    uint32_t minor = 0;
    uint32_t uid = 0;
    uint32_t gid = 0;
    int32_t bind_fd = -1;  // in a user namespace: the host's node as a detached tree
};

struct LinkOp {
    const char* path = nullptr;
    const char* target = nullptr;
};

struct SysctlOp {
    const char* path = nullptr;  // below /proc/sys
    const char* value = nullptr;
    bool network = false;  // belongs to the cell
};

struct RlimitOp {
    uint32_t resource = 0;
    uint64_t soft = 0;
    uint64_t hard = 0;
};

struct Identity {
    uint32_t uid = 0;
    uint32_t gid = 0;
    Slice<uint32_t> groups;
    bool set_groups = true;  // false where the user namespace denies setgroups(2)
    bool set_capabilities = false;
    uint64_t bounding = 0;
    uint64_t effective = 0;
    uint64_t permitted = 0;
    uint64_t inheritable = 0;
    uint64_t ambient = 0;
    bool no_new_privs = false;
    bool set_umask = false;
    uint32_t umask = 0;
};

struct Program {
    Slice<const char*> candidates;  // paths to try, in order
    bool searched = false;          // the candidates come from PATH
    const char* const* argv = nullptr;
    const char** envp = nullptr;  // null-terminated, one spare slot before it when home_slot is set
    int32_t home_slot = -1;       // where HOME goes, or -1: config.json has it
    const char* cwd = nullptr;
};

struct RootIdentity {
    uint64_t mount_id = 0;
    uint64_t inode = 0;
    uint32_t dev_major = 0;
    uint32_t dev_minor = 0;
    bool operator==(const RootIdentity&) const = default;
};

enum class Mode : uint8_t {
    create,  // a container's first process
    exec,    // a further process
    hook,    // a hook that runs in the container's namespaces
};

struct InitPlan {
    uint32_t magic = kPlanMagic;
    Mode mode = Mode::create;
    int32_t sync_fd = -1;  // SOCK_SEQPACKET to the parent
    int32_t gate_fd = -1;  // listening SOCK_SEQPACKET; -1: the parent's go starts the program
    uint32_t preserve_fds = 0;

    Slice<Join> joins;
    uint64_t unshare_flags = 0;  // namespaces made after the joins, CLONE_NEWCGROUP excepted
    bool new_cgroup_ns = false;
    bool fork_early = false;  // a pid namespace was joined: before the mounts (create)
    bool fork_late =
        false;  // or last of all (exec), so that the container sees as little as possible
    uint64_t fork_flags =
        0;  // CLONE_NEWPID where the pid namespace is new but its owner was joined
    bool raise_loopback = false;
    bool stay_in_uplink =
        false;          // a pod's pause container: it makes the cell and does not enter it
    bool cell = false;  // the workload's own network namespace beside the uplink
    bool run_hooks = false;
    bool new_keyring = false;
    const char* keyring_name = nullptr;

    Slice<StagedTree> staged;         // with a user namespace: runtime/launch/staging.h
    int32_t root_fd = -1;             // the root file system as a detached tree
    const char* root_path = nullptr;  // where the host has it: it is attached over itself
    uint64_t host_propagation = 0;  // for the whole tree of the new namespace, before anything else
    uint64_t root_propagation = 0;  // for the container's root, last; 0: none
    bool no_pivot = false;
    bool readonly_root = false;
    Slice<MountOp> mounts;
    Slice<DeviceOp> devices;
    Slice<LinkOp> links;
    Slice<SysctlOp> sysctls;
    Slice<MountOp> readonly_paths;
    Slice<const char*> masked_paths;
    const char* hostname = nullptr;
    const char* domainname = nullptr;
    RootIdentity expected_root;  // exec: what was there at create

    bool terminal = false;
    uint16_t console_rows = 0;
    uint16_t console_columns = 0;
    bool console_node = false;  // bind it to /dev/console (create)

    Slice<RlimitOp> rlimits;
    Identity identity;
    Program program;
    const char* apparmor_exec = nullptr;  // "exec PROFILE"
    const char* selinux_exec = nullptr;
    Slice<uint64_t> seccomp;  // struct sock_filter
    uint32_t seccomp_flags = 0;
};
static_assert(std::is_trivially_copyable_v<InitPlan>);
static_assert(std::is_trivially_destructible_v<InitPlan>);

}  // namespace hardrun::init
