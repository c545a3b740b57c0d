// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/common.h"

#include <unistd.h>

#include "runtime/base/file.h"

namespace hardrun::cli {

Result<std::string> only_id(const Options& options) {
    if (options.words().size() == 1)
        return options.words().front();
    if (options.words().empty())
        return Error(Errc::bad_config, "the container's id is missing");
    return Error(Errc::bad_config, "expected one container id, got " +
                                       std::to_string(options.words().size()) + " words");
}

Status print(std::string_view text) {
    return write_all(FdRef::borrowed(STDOUT_FILENO), text, "standard output");
}

Result<uint32_t> preserved_fds(const Options& options, const Global& global) {
    const int64_t wanted = options.number("preserve-fds").value_or(0);
    if (wanted >= 0 && wanted <= global.inherited_fds)
        return static_cast<uint32_t>(wanted);
    return Error(Errc::bad_config, "--preserve-fds " + std::to_string(wanted) + ": only " +
                                       std::to_string(global.inherited_fds) +
                                       " descriptors from 3 on are open");
}

}  // namespace hardrun::cli
