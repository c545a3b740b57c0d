// SPDX-License-Identifier: Apache-2.0
// crio.conf.d(5): a file of ours beside crio.conf.
#include "runtime/cli/install/toml_block.h"

namespace hardrun::cli::install {

Result<std::string> add_to_crio(std::string_view text, const Runtimes& runtimes) {
    HARDRUN_TRY(const std::string theirs, without_block(text));
    HARDRUN_TRY(const TomlOutline there, outline_toml(theirs));
    std::string lines;
    for (const Runtime& runtime : runtimes) {
        const TomlPath table = {"crio", "runtime", "runtimes", runtime.name};
        HARDRUN_CHECK(check_free(there, {table}));
        lines += "[" + toml_text(table) + "]\nruntime_path = " + toml_string(runtime.path) +
                 "\nruntime_type = \"oci\"\nruntime_root = \"/run/hardrun\"\n";
    }
    return with_block(theirs, lines);
}

Result<std::string> take_from_crio(std::string_view text) {
    HARDRUN_TRY(const std::string theirs, without_block(text));
    HARDRUN_TRY(const TomlOutline there, outline_toml(theirs));
    HARDRUN_CHECK(check_default(there, {"crio", "runtime", "default_runtime"}));
    return theirs;
}

}  // namespace hardrun::cli::install
