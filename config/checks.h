// SPDX-License-Identifier: Apache-2.0
// Rules about single values that several readers share. Used inside config/ only.
#pragma once

#include <string>

#include "config/fields.h"

namespace hardrun::config {

Status not_empty(const At& at, const std::string& text);

// Starts with '/', and short enough for the kernel (PATH_MAX).
Status absolute_path(const At& at, const std::string& path);
Status path_length(const At& at, const std::string& path);

// NAME=value with a name.
Status env_entry(const At& at, const std::string& entry);

// Everything but 4294967295, which means "leave it as it is" to the kernel's set*id calls: a
// container that asks for it would keep the runtime's own id (CVE-2024-40635).
Status user_or_group_id(const At& at, const uint32_t& id);

// A list for cpuset: "0-3,7". Refuses what could smuggle a second line into a cgroup file.
Status cpu_list(const At& at, const std::optional<std::string>& list);

// -1 stands for "no limit"; nothing else below zero means anything.
Status limit_or_none(const At& at, const std::optional<int64_t>& limit);

}  // namespace hardrun::config
