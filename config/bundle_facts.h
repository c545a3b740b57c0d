// SPDX-License-Identifier: Apache-2.0
// What the rules must know of the host and of the bundle's surroundings, gathered once before them
// (runtime/launch/bundle_facts.h), so that they stay pure. Judged is the object that a path leads
// to, never its name.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hardrun::config {

enum class SourceKind : uint8_t { unknown, file, directory, socket, other };

struct SourceFacts {
    SourceKind kind = SourceKind::unknown;
    std::string resolved;  // where the path leads: no link, no ".."
    uint64_t device = 0;
    uint64_t inode = 0;
};

struct BundleFacts {
    std::string id;                              // the container's
    std::map<std::string, SourceFacts> sources;  // bind mounts, by json_path
    std::set<std::string> host_namespaces;  // paths of linux.namespaces that are the host's own
    std::vector<std::string> homes;         // home folders of the host's users
    uint64_t memory_bytes = 0;              // of the host; 0: unknown
    bool swap_limit = false;                // its groups can limit swap
    bool may_limit = true;                  // false: rootless, groups may be left out
};

}  // namespace hardrun::config
