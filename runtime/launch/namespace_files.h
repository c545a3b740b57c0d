// SPDX-License-Identifier: Apache-2.0
// Namespaces as files: opened, verified to be on nsfs and of the kind that is meant, compared by
// device and inode (namespaces(7)).
#pragma once

#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/state/record.h"

namespace hardrun::launch {

// "net", "mnt", ...: the name of a CLONE_NEW* kind below /proc/PID/ns.
const char* namespace_file(uint64_t type);

// Errors: bad_config when the path is no namespace of this kind.
Result<Fd> open_namespace(const std::string& path, uint64_t type);

Result<state::NamespaceId> namespace_id(FdRef fd);

// The one that a process is in: "self", or a pid in decimal.
Result<state::NamespaceId> namespace_of(const std::string& process, uint64_t type);

}  // namespace hardrun::launch
