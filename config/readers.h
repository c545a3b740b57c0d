// SPDX-License-Identifier: Apache-2.0
// The readers of the object families, for each other's tables. Used inside config/ only.
#pragma once

#include "config/fields.h"
#include "config/spec.h"

namespace hardrun::config {

Status read(const At& at, Process& out, Notes& notes);
Status read(const At& at, Mount& out, Notes& notes);
Status read(const At& at, Hooks& out, Notes& notes);
Status read(const At& at, Linux& out, Notes& notes);
Status read(const At& at, Resources& out, Notes& notes);
Status read(const At& at, BlockIo& out, Notes& notes);
Status read(const At& at, Seccomp& out, Notes& notes);

}  // namespace hardrun::config
