// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/common.h"

#include <unistd.h>

#include <cstdlib>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

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

Result<Listening> listening(const Global& global) {
    const char* const fds = std::getenv("LISTEN_FDS");
    const char* const pid = std::getenv("LISTEN_PID");
    if (fds == nullptr || pid == nullptr || parse_decimal(pid) != static_cast<uint64_t>(::getpid()))
        return Listening{};  // somebody else's
    const auto count = parse_decimal(fds, global.inherited_fds);
    if (!count)
        return Error(Errc::bad_config, "LISTEN_FDS=" + std::string(fds) + ": only " +
                                           std::to_string(global.inherited_fds) +
                                           " descriptors from 3 on are open");
    Listening out{.count = static_cast<uint32_t>(*count), .env = {}};
    if (out.count == 0)
        return out;
    out.env = {"LISTEN_FDS=" + std::to_string(out.count), "LISTEN_PID=1"};
    if (const char* const names = std::getenv("LISTEN_FDNAMES"); names != nullptr)
        out.env.push_back("LISTEN_FDNAMES=" + std::string(names));
    return out;
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
