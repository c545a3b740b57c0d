// SPDX-License-Identifier: Apache-2.0
// The init program as a descriptor that can be executed and never written: a memfd with every seal
// set. What a container reaches through /proc/PID/exe is this copy, not the file on disk
// (CVE-2019-5736).
#pragma once

#include "runtime/base/fd.h"
#include "runtime/base/result.h"

namespace hardrun::launch {

Result<Fd> make_sealed_init();

}  // namespace hardrun::launch
