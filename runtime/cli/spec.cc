// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/cli/spec_template.h"

namespace hardrun::cli {

Result<int> run_spec(const Global& global, const Args& args) {
    Options o("spec: write a config.json to start from");
    HARDRUN_CHECK(o.add_text("bundle,b", "the bundle's folder (default: the current one)")
                      .add_flag("rootless", "for an ordinary user")
                      .parse_mixed(args));
    const std::string folder = o.text("bundle", ".");
    HARDRUN_TRY(const Fd dir,
                open_at(FdRef::cwd(), folder, O_PATH | O_DIRECTORY).context("--bundle"));
    auto file = open_at(dir, "config.json", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (!file && file.error().sys_errno() == EEXIST)
        return Error(Errc::already_exists, "file config.json exists. Remove it first");
    if (!file)
        return std::move(file).error();
    const bool rootless = o.flag("rootless") || global.rootless;
    HARDRUN_CHECK(write_all(
        *file, rootless ? rootless_spec(::geteuid(), ::getegid()) : default_spec(), "config.json"));
    return 0;
}

}  // namespace hardrun::cli
