// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/install/users.h"

#include <glob.h>

#include "runtime/launch/container.h"

namespace hardrun::cli::install {
namespace {

std::vector<std::string> expand(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> out;
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
        out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    return out;
}

}  // namespace

std::vector<std::string> running_below(const std::vector<std::string>& patterns) {
    std::vector<std::string> out;
    for (const std::string& pattern : patterns)
        for (const std::string& root : expand(pattern)) {
            const state::Store store(root);
            const auto ids = store.ids();
            if (!ids)
                continue;
            for (const std::string& id : *ids) {
                const auto container = launch::Container::open(store, id);
                if (container && container->state() != state::State::stopped)
                    out.push_back(std::string(id).append(" (").append(root).append(")"));
            }
        }
    return out;
}

}  // namespace hardrun::cli::install
