// SPDX-License-Identifier: Apache-2.0
// containerd's config.toml, for its CRI plugin: versions 2 (containerd 1.x and 2.x) and 3 (2.x).
#include "runtime/base/text.h"
#include "runtime/cli/install/toml_block.h"

namespace hardrun::cli::install {
namespace {

// The table of the plugin's containerd settings.
Result<TomlPath> containerd_table(const TomlOutline& there) {
    const std::string* version = there.find({"version"});
    if (version != nullptr && trim(*version) == "2")
        return TomlPath{"plugins", "io.containerd.grpc.v1.cri", "containerd"};
    if (version != nullptr && trim(*version) == "3")
        return TomlPath{"plugins", "io.containerd.cri.v1.runtime", "containerd"};
    return Error(Errc::bad_config, "version: expected 2 or 3, got " +
                                       (version != nullptr ? *version : "none") +
                                       "; `containerd config migrate` writes the newer form");
}

TomlPath below(TomlPath path, std::initializer_list<std::string> more) {
    path.insert(path.end(), more);
    return path;
}

// A kubelet with the systemd driver needs every runtime told so; runc's entry knows.
bool uses_systemd(const TomlOutline& there, const TomlPath& containerd) {
    const std::string* value =
        there.find(below(containerd, {"runtimes", "runc", "options", "SystemdCgroup"}));
    return value != nullptr && trim(*value) == "true";
}

}  // namespace

Result<std::string> add_to_containerd(std::string_view text, const Runtimes& runtimes) {
    HARDRUN_TRY(const std::string theirs, without_block(text));
    HARDRUN_TRY(const TomlOutline there, outline_toml(theirs));
    HARDRUN_TRY(const TomlPath containerd, containerd_table(there));
    std::string lines;
    for (const Runtime& runtime : runtimes) {
        const TomlPath table = below(containerd, {"runtimes", runtime.name});
        HARDRUN_CHECK(check_free(there, {table}));
        lines += "[" + toml_text(table) + "]\n  runtime_type = \"io.containerd.runc.v2\"\n";
        lines += "  [" + toml_text(below(table, {"options"})) + "]\n";
        lines += "    BinaryName = " + toml_string(runtime.path) + "\n";
        if (uses_systemd(there, containerd))
            lines += "    SystemdCgroup = true\n";
    }
    return with_block(theirs, lines);
}

Result<std::string> take_from_containerd(std::string_view text) {
    HARDRUN_TRY(const std::string theirs, without_block(text));
    HARDRUN_TRY(const TomlOutline there, outline_toml(theirs));
    HARDRUN_TRY(const TomlPath containerd, containerd_table(there));
    HARDRUN_CHECK(check_default(there, below(containerd, {"default_runtime_name"})));
    return theirs;
}

}  // namespace hardrun::cli::install
