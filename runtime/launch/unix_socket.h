// SPDX-License-Identifier: Apache-2.0
// Unix sockets below a folder: sun_path holds 107 bytes and container ids 255, so names are reached
// through the folder's descriptor.
#pragma once

#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::launch {

// A listening SOCK_SEQPACKET socket named `name` in `folder`, mode 0600.
Result<Fd> listen_in(FdRef folder, const std::string& name);

// Errors: kernel, with errno ECONNREFUSED when nobody listens and ENOENT when there is no such
// name.
enum class SocketKind { stream, seqpacket };
Result<Fd> connect_in(FdRef folder, const std::string& name, SocketKind kind);

}  // namespace hardrun::launch
