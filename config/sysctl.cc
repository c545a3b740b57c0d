// SPDX-License-Identifier: Apache-2.0
#include "config/sysctl.h"

#include <algorithm>
#include <array>

#include "runtime/base/text.h"

namespace hardrun::config {
namespace {

struct Row {
    std::string_view path;  // with a '/' at its end: everything below
    NamespaceType needs;
};

constexpr auto kOwn = std::to_array<Row>({
    {"fs/mqueue/", NamespaceType::ipc},
    {"kernel/domainname", NamespaceType::uts},
    {"kernel/msgmax", NamespaceType::ipc},
    {"kernel/msgmnb", NamespaceType::ipc},
    {"kernel/msgmni", NamespaceType::ipc},
    {"kernel/sem", NamespaceType::ipc},
    {"kernel/shm_rmid_forced", NamespaceType::ipc},
    {"kernel/shmall", NamespaceType::ipc},
    {"kernel/shmmax", NamespaceType::ipc},
    {"kernel/shmmni", NamespaceType::ipc},
    {"net/", NamespaceType::network},
});

// sysctl(8): whichever of '.' and '/' comes first separates, the other is an ordinary character.
std::string as_path(std::string_view key) {
    std::string path(key);
    const size_t first = path.find_first_of("./");
    if (first == std::string::npos || path[first] == '/')
        return path;
    for (char& c : path) {
        if (c == '.')
            c = '/';
        else if (c == '/')
            c = '.';
    }
    return path;
}

bool well_formed(std::string_view path) {
    return std::ranges::none_of(split(path, '/'), [](std::string_view part) {
        return part.empty() || part == "." || part == ".." ||
               std::ranges::any_of(part, [](char c) { return c <= ' ' || c == 0x7F; });
    });
}

const Row* find_row(std::string_view path) {
    const auto it = std::ranges::find_if(kOwn, [&](const Row& row) {
        return row.path.ends_with('/') ? path.starts_with(row.path) : path == row.path;
    });
    return it != kOwn.end() ? &*it : nullptr;
}

bool has_namespace(const Linux& linux, NamespaceType type) {
    return std::ranges::find(linux.namespaces, type, &Namespace::type) != linux.namespaces.end();
}

Status check_value(const At& at, const std::string& value) {
    constexpr size_t kLongest = 4096;
    if (value.size() > kLongest)
        return at.wrong("a value longer than 4096 bytes");
    if (value.find('\n') != std::string::npos)
        return at.wrong("a value with a line break");
    return {};
}

Status check_key(const At& at, const std::string& path, const Linux& linux) {
    if (!well_formed(path))
        return at.wrong("is not the name of a sysctl");
    const Row* row = find_row(path);
    if (row == nullptr)
        return at.wrong("is not a sysctl that a container has of its own");
    if (has_namespace(linux, row->needs))
        return {};
    if (row->needs == NamespaceType::network)
        return at.wrong("needs a network namespace of the container");
    return at.wrong(row->needs == NamespaceType::ipc ? "needs an ipc namespace of the container"
                                                     : "needs a uts namespace of the container");
}

}  // namespace

Status check_sysctls(const At& at, Linux& out) {
    std::map<std::string, std::string> normal;
    for (const auto& [key, value] : out.sysctl) {
        const At here = at.member(key, at.value);
        const std::string path = as_path(key);
        HARDRUN_CHECK(check_key(here, path, out));
        HARDRUN_CHECK(check_value(here, value));
        if (!normal.emplace(path, value).second)
            return here.wrong("is there twice, in two spellings");
    }
    out.sysctl = std::move(normal);
    return {};
}

}  // namespace hardrun::config
