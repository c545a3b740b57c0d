// SPDX-License-Identifier: Apache-2.0
#include "config/checks.h"

#include <climits>

namespace hardrun::config {

Status not_empty(const At& at, const std::string& text) {
    if (text.empty())
        return at.wrong("must not be empty");
    return {};
}

Status path_length(const At& at, const std::string& path) {
    if (path.size() >= PATH_MAX)
        return at.wrong("longer than " + std::to_string(PATH_MAX - 1) + " bytes");
    return {};
}

Status absolute_path(const At& at, const std::string& path) {
    if (!path.starts_with('/'))
        return at.expected("an absolute path");
    return path_length(at, path);
}

Status env_entry(const At& at, const std::string& entry) {
    if (entry.find('=') == std::string::npos || entry.starts_with('='))
        return at.expected("NAME=value");
    return {};
}

Status user_or_group_id(const At& at, const uint32_t& id) {
    if (id == UINT32_MAX)
        return at.expected("a number from 0 to 4294967294");
    return {};
}

Status cpu_list(const At& at, const std::optional<std::string>& list) {
    if (list && list->find_first_not_of("0123456789,- ") != std::string::npos)
        return at.expected("a list of numbers and ranges");
    return {};
}

Status limit_or_none(const At& at, const std::optional<int64_t>& limit) {
    if (limit && *limit < -1)
        return at.expected("-1 or more");
    return {};
}

}  // namespace hardrun::config
