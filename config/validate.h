// SPDX-License-Identifier: Apache-2.0
// Rules that need more than one field of the configuration. Used inside config/ only.
#pragma once

#include "config/fields.h"
#include "config/spec.h"

namespace hardrun::config {

// `at` is the top of the document that `spec` was read from.
Status validate(const At& at, Spec& spec);

}  // namespace hardrun::config
