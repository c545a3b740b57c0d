// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/install/toml_block.h"

namespace hardrun::cli::install {
namespace {

constexpr std::string_view kBegin = "# hardrun begin";
constexpr std::string_view kEnd = "# hardrun end";
constexpr std::string_view kWords =
    ": made by `hardrun install`, taken back by `hardrun uninstall`";

// Where a line starts with these words, or npos.
size_t find_line(std::string_view text, std::string_view words, size_t from) {
    for (size_t at = text.find(words, from); at != std::string_view::npos;
         at = text.find(words, at + 1))
        if (at == 0 || text[at - 1] == '\n')
            return at;
    return std::string_view::npos;
}

}  // namespace

Result<std::string> without_block(std::string_view text) {
    size_t begin = find_line(text, kBegin, 0);
    if (begin == std::string_view::npos)
        return std::string(text);
    const size_t end = find_line(text, kEnd, begin);
    if (end == std::string_view::npos)
        return Error(Errc::bad_config, "has the line \"" + std::string(kBegin) + "\" without \"" +
                                           std::string(kEnd) + "\"; take our part out by hand");
    if (text.substr(0, begin).ends_with("\n\n"))
        --begin;  // the empty line that we put before
    const size_t behind = text.find('\n', end);
    std::string out(text.substr(0, begin));
    if (behind != std::string_view::npos)
        out += text.substr(behind + 1);
    return out;
}

std::string with_block(std::string_view text, std::string_view lines) {
    std::string out(text);
    if (!out.empty())
        out += out.ends_with('\n') ? "\n" : "\n\n";
    return out.append(kBegin).append(kWords).append("\n").append(lines).append(kEnd).append("\n");
}

Status check_free(const TomlOutline& there, const std::vector<TomlPath>& tables) {
    for (const TomlPath& table : tables) {
        if (there.has(table))
            return Error(Errc::bad_config, "has " + toml_text(table) +
                                               " already, and not from hardrun; take it out or "
                                               "rename it");
        if (there.blocks(table))
            return Error(Errc::bad_config,
                         "a table on the way to " + toml_text(table) +
                             " is written as a value, so that nothing can be added to it; write it "
                             "as [" +
                             toml_text(table) + "]");
    }
    return {};
}

Status check_default(const TomlOutline& there, const TomlPath& key) {
    const std::string* value = there.find(key);
    if (value == nullptr)
        return {};
    for (const std::string_view name : runtime_names())
        if (*value == toml_string(name) || *value == "'" + std::string(name) + "'")
            return Error(Errc::bad_config, toml_text(key) + ": is " + *value +
                                               "; set it to another runtime first, or the engine "
                                               "could start no container");
    return {};
}

}  // namespace hardrun::cli::install
