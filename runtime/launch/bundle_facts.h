// SPDX-License-Identifier: Apache-2.0
// Gathers what the rules must know of the host: where bind mounts really come from, which
// namespaces are the host's, whose home folders there are, how much memory.
#pragma once

#include <string>

#include "config/bundle_facts.h"
#include "config/spec.h"
#include "runtime/base/fd.h"

namespace hardrun::launch {

// Never fails: what cannot be found out is unknown, and whoever uses it later says why.
config::BundleFacts gather_bundle_facts(const config::Spec& spec, FdRef bundle,
                                        const std::string& id);

}  // namespace hardrun::launch
