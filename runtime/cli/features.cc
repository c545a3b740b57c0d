// SPDX-License-Identifier: Apache-2.0
// features.md and features-linux.md of the runtime specification. The lists come from the tables
// that the readers use, so that what is said here cannot differ from what is done.
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <seccomp.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "config/mount_options.h"
#include "config/names.h"
#include "runtime/base/json_writer.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"

namespace hardrun::cli {
namespace {

constexpr std::string_view kOldestSpec = "1.0.0";
constexpr std::string_view kNewestSpec = "1.2.0";  // what 1.3 added is not supported

constexpr auto kHooks = std::to_array<std::string_view>(
    {"prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"});

struct SeccompFlag {
    std::string_view name;
    unsigned long bit;
};
constexpr auto kSeccompFlags = std::to_array<SeccompFlag>({
    {"SECCOMP_FILTER_FLAG_LOG", SECCOMP_FILTER_FLAG_LOG},
    {"SECCOMP_FILTER_FLAG_SPEC_ALLOW", SECCOMP_FILTER_FLAG_SPEC_ALLOW},
    {"SECCOMP_FILTER_FLAG_TSYNC", SECCOMP_FILTER_FLAG_TSYNC},
    // Means something only beside a listener, and the kernel checks that.
    {"SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV",
     SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV | SECCOMP_FILTER_FLAG_NEW_LISTENER},
});

// The kernel looks at the flags first: without a filter it complains of the address, or of a flag
// that it does not know.
bool kernel_knows(const SeccompFlag& flag) {
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag.bit, nullptr) != 0 &&
           errno == EFAULT;
}

config::NameList flags_of_this_kernel() {
    config::NameList out;
    for (const SeccompFlag& flag : kSeccompFlags)
        if (kernel_knows(flag))
            out.push_back(flag.name);
    return out;
}

void list(json::Writer& w, std::string_view key, const auto& names) {
    w.key(key).begin_array();
    for (const std::string_view name : names)
        w.value(name);
    w.end_array();
}

void enabled(json::Writer& w, std::string_view key, bool answer) {
    w.key(key).begin_object().field("enabled", answer).end_object();
}

void write_seccomp(json::Writer& w) {
    w.key("seccomp").begin_object().field("enabled", true);
    list(w, "actions", config::seccomp_action_names());
    list(w, "operators", config::seccomp_op_names());
    list(w, "archs", config::seccomp_arch_names());
    list(w, "knownFlags", config::seccomp_flag_names());
    list(w, "supportedFlags", flags_of_this_kernel());
    w.end_object();
}

void write_linux(json::Writer& w) {
    w.key("linux").begin_object();
    list(w, "namespaces", config::namespace_names());
    list(w, "capabilities", config::capability_names());
    w.key("cgroup").begin_object().field("v1", true).field("v2", true);
    w.field("systemd", true).field("systemdUser", false).field("rdma", false).end_object();
    write_seccomp(w);
    enabled(w, "apparmor", true);
    enabled(w, "selinux", true);
    enabled(w, "intelRdt", false);
    w.key("mountExtensions").begin_object();
    enabled(w, "idmap", false);
    w.end_object();
    enabled(w, "netDevices", false);
    w.end_object();
}

std::string seccomp_version_text() {
    const scmp_version* const v = ::seccomp_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
           std::to_string(v->micro);
}

std::string features_json() {
    json::Writer w(json::Layout::indented);
    w.begin_object().field("ociVersionMin", kOldestSpec).field("ociVersionMax", kNewestSpec);
    list(w, "hooks", kHooks);
    list(w, "mountOptions", config::known_mount_options());
    write_linux(w);
    w.key("annotations").begin_object();
    w.field("dev.hardrun.version", std::string_view(HARDRUN_VERSION));
    w.field("io.github.seccomp.libseccomp.version", seccomp_version_text()).end_object();
    // No annotation of config.json loosens anything (hardening.md, section 5).
    w.key("potentiallyUnsafeConfigAnnotations").begin_array().end_array().end_object();
    return w.take() + "\n";
}

}  // namespace

Result<int> run_features(const Global&, const Args& args) {
    Options o("features: what this runtime can do, as JSON");
    HARDRUN_CHECK(o.parse_mixed(args));
    if (!o.words().empty())
        return Error(Errc::bad_config,
                     "features: expected no words, got \"" + o.words().front() + "\"");
    HARDRUN_CHECK(print(features_json()));
    return 0;
}

}  // namespace hardrun::cli
