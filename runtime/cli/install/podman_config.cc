// SPDX-License-Identifier: Apache-2.0
// containers.conf(5): a file of ours in containers.conf.d adds to the runtimes that are known.
#include "runtime/cli/install/toml_block.h"

namespace hardrun::cli::install {

Result<std::string> add_to_podman(std::string_view text, const Runtimes& runtimes) {
    HARDRUN_TRY(const std::string theirs, without_block(text));
    HARDRUN_TRY(const TomlOutline there, outline_toml(theirs));
    const TomlPath table = {"engine", "runtimes"};
    HARDRUN_CHECK(check_free(there, {table}));
    std::string lines = "[" + toml_text(table) + "]\n";
    for (const Runtime& runtime : runtimes)
        lines += runtime.name + " = [" + toml_string(runtime.path) + "]\n";
    return with_block(theirs, lines);
}

Result<std::string> take_from_podman(std::string_view text) {
    HARDRUN_TRY(const std::string theirs, without_block(text));
    HARDRUN_TRY(const TomlOutline there, outline_toml(theirs));
    HARDRUN_CHECK(check_default(there, {"engine", "runtime"}));
    return theirs;
}

}  // namespace hardrun::cli::install
