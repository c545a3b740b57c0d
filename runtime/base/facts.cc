// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/facts.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace hardrun {
namespace {

bool starts_with(const std::string& path, std::string_view text) {
    const auto content = read_file(FdRef::cwd(), path, 4096);
    return content && content->starts_with(text);
}

// The initial user namespace maps everything onto itself in one line (user_namespaces(7)).
bool in_user_namespace() {
    const auto map = read_file(FdRef::cwd(), "/proc/self/uid_map", 65536);
    if (!map)
        return false;
    return map->find("4294967295") == std::string::npos;
}

}  // namespace

KernelFacts probe_kernel() {
    KernelFacts facts;
    for (unsigned cap = 0; cap < 64; ++cap) {
        const int has = ::prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
        if (has < 0)
            break;
        facts.known_caps |= uint64_t{1} << cap;
        if (has == 1)
            facts.bounding |= uint64_t{1} << cap;
    }
    for (size_t i = 0; i < facts.rlimit_hard.size(); ++i) {
        rlimit limit{};
        // Beyond the last limit of this kernel there is nothing to raise.
        facts.rlimit_hard[i] =
            ::getrlimit(static_cast<__rlimit_resource_t>(i), &limit) == 0 ? limit.rlim_max : 0;
    }
    facts.apparmor = starts_with("/sys/module/apparmor/parameters/enabled", "Y");
    facts.selinux = ::access("/sys/fs/selinux/enforce", F_OK) == 0;
    facts.kcore = ::access("/proc/kcore", F_OK) == 0;
    facts.user_namespaced = in_user_namespace();
    return facts;
}

}  // namespace hardrun
