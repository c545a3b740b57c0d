// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/version.h"

#include <seccomp.h>

namespace hardrun::cli {

std::string version_text() {
    const scmp_version* const v = ::seccomp_version();
    return "hardrun version " HARDRUN_VERSION "\nspec: " + std::string(kSpecVersion) +
           "\nlibseccomp: " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
           std::to_string(v->micro) + "\n";
}

}  // namespace hardrun::cli
