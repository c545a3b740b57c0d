// SPDX-License-Identifier: Apache-2.0
// Command lines in runc's manner, which is that of Go's flag package: the options of a command
// stand before its first word, and where everything from there on is the container's, only there;
// one dash serves as well as two. Why not Boost's: contrib/design/0004-no-iostreams.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun::cli {

// Names and help are literals: they are kept as views.
class Options {
  public:
    explicit Options(std::string_view title) : title_(title) {}

    // `names` is the long name, with a letter if there is one: "bundle,b".
    Options& add_flag(std::string_view names, std::string_view help);
    Options& add_text(std::string_view names, std::string_view help);
    Options& add_texts(std::string_view names, std::string_view help);  // may be repeated
    Options& add_number(std::string_view names, std::string_view help);

    // Fills the values; the words that follow the options are kept. Errors: bad_config; --help
    // that no option of its own answers is help_wanted, with the help as its text.
    Status parse(const std::vector<std::string>& args);
    // For commands whose words are all hardrun's own: options may also follow them, as runc allows.
    Status parse_mixed(const std::vector<std::string>& args);

    bool is_set(std::string_view name) const;
    bool flag(std::string_view name) const;
    // The last one given counts.
    std::string text(std::string_view name, std::string_view otherwise = "") const;
    std::vector<std::string> texts(std::string_view name) const;
    std::optional<int64_t> number(std::string_view name) const;
    const std::vector<std::string>& words() const { return words_; }

    std::string help() const;

  private:
    enum class Kind { flag, text, texts, number };
    struct Known {
        std::string_view name;
        char letter = '\0';
        Kind kind = Kind::flag;
        std::string_view help;
    };
    struct Given {
        std::string_view name;
        std::string value;
    };

    Options& add(std::string_view names, Kind kind, std::string_view help);
    const Known* find(std::string_view name) const;
    Result<size_t> take(const std::vector<std::string>& args, size_t at);
    Status keep(const Known& known, std::string value);
    const std::string* last(std::string_view name) const;

    std::string_view title_;
    std::vector<Known> known_;
    std::vector<Given> given_;
    std::vector<std::string> words_;
};

}  // namespace hardrun::cli
