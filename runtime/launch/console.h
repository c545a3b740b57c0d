// SPDX-License-Identifier: Apache-2.0
// Handing a terminal's master to the engine (--console-socket), and carrying it ourselves in the
// foreground. The protocol is runc's: one message on a unix stream socket with one descriptor.
#pragma once

#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::launch {

// Connects to `path` (also one longer than sun_path). Errors: the option's name and the path.
Result<Fd> connect_console(const std::string& path);

Status send_console(FdRef socket, FdRef master);

}  // namespace hardrun::launch
