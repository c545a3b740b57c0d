// SPDX-License-Identifier: Apache-2.0
#include "config/validate.h"

#include <array>

#include "config/names.h"
#include "config/sysctl.h"

namespace hardrun::config {
namespace {

const Namespace* find_namespace(const Linux& linux, NamespaceType type) {
    const auto it = std::ranges::find(linux.namespaces, type, &Namespace::type);
    return it != linux.namespaces.end() ? &*it : nullptr;
}

Status namespaces_unique(const At& linux_at, const Linux& linux) {
    for (size_t i = 0; i < linux.namespaces.size(); ++i)
        for (size_t earlier = 0; earlier < i; ++earlier)
            if (linux.namespaces[earlier].type == linux.namespaces[i].type) {
                const At list = linux_at.member("namespaces", linux_at.value);
                return list.element(i, linux_at.value)
                    .wrong("the " + std::string(namespace_name(linux.namespaces[i].type)) +
                           " namespace is there twice");
            }
    return {};
}

// A namespace to be joined has its maps already; a new one without maps would leave every id
// unmapped.
Status mappings_fit(const At& linux_at, const Linux& linux) {
    const At uids = linux_at.member("uidMappings", linux_at.value);
    const At gids = linux_at.member("gidMappings", linux_at.value);
    const Namespace* user = find_namespace(linux, NamespaceType::user);
    if (user == nullptr && !linux.uid_mappings.empty())
        return uids.wrong("needs a user namespace in linux.namespaces");
    if (user == nullptr && !linux.gid_mappings.empty())
        return gids.wrong("needs a user namespace in linux.namespaces");
    if (user == nullptr || !user->path.empty())
        return {};
    if (linux.uid_mappings.empty())
        return uids.wrong("a new user namespace needs mappings");
    if (linux.gid_mappings.empty())
        return gids.wrong("a new user namespace needs mappings");
    return {};
}

// Without the namespace the name would be the host's.
Status names_fit(const At& at, const Spec& spec) {
    constexpr size_t kLongest = 64;  // __NEW_UTS_LEN
    const bool own = find_namespace(spec.linux, NamespaceType::uts) != nullptr;
    struct Name {
        std::string_view key;
        const std::string& value;
    };
    for (const Name& name :
         {Name{"hostname", spec.hostname}, Name{"domainname", spec.domainname}}) {
        const At here = at.member(name.key, at.value);
        if (!name.value.empty() && !own)
            return here.wrong("needs a uts namespace in linux.namespaces");
        if (name.value.size() > kLongest)
            return here.wrong("longer than 64 bytes");
    }
    return {};
}

Status paths_fit(const At& linux_at, const Linux& linux) {
    if (find_namespace(linux, NamespaceType::mount) != nullptr)
        return {};
    if (!linux.masked_paths.empty())
        return linux_at.member("maskedPaths", linux_at.value)
            .wrong("needs a mount namespace in linux.namespaces");
    if (!linux.readonly_paths.empty())
        return linux_at.member("readonlyPaths", linux_at.value)
            .wrong("needs a mount namespace in linux.namespaces");
    return {};
}

}  // namespace

Status validate(const At& at, Spec& spec) {
    const At linux_at = at.member("linux", at.value);
    HARDRUN_CHECK(namespaces_unique(linux_at, spec.linux));
    HARDRUN_CHECK(mappings_fit(linux_at, spec.linux));
    HARDRUN_CHECK(names_fit(at, spec));
    HARDRUN_CHECK(paths_fit(linux_at, spec.linux));
    return check_sysctls(linux_at.member("sysctl", at.value), spec.linux);
}

}  // namespace hardrun::config
