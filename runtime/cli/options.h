// SPDX-License-Identifier: Apache-2.0
// Command lines in runc's manner on Boost.Program_options: the options of a command stand before
// its first word, and where everything from there on is the container's, only there; one dash
// serves as well as two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"

#include <boost/program_options.hpp>

namespace hardrun::cli {

class Options {
  public:
    explicit Options(const std::string& title) : description_(title) {}

    // `names` as Boost has it: "bundle,b".
    Options& add_flag(const std::string& names, const std::string& help);
    Options& add_text(const std::string& names, const std::string& help);
    Options& add_texts(const std::string& names, const std::string& help);  // may be repeated
    Options& add_number(const std::string& names, const std::string& help);

    // Fills the values; the words that follow the options are kept. Errors: bad_config.
    Status parse(const std::vector<std::string>& args);
    // For commands whose words are all hardrun's own: options may also follow them, as runc allows.
    Status parse_mixed(const std::vector<std::string>& args);

    bool is_set(const std::string& name) const { return values_.count(name) > 0; }
    bool flag(const std::string& name) const;
    std::string text(const std::string& name, const std::string& otherwise = "") const;
    std::vector<std::string> texts(const std::string& name) const;
    std::optional<int64_t> number(const std::string& name) const;
    const std::vector<std::string>& words() const { return words_; }

    std::string help() const;

  private:
    size_t option_count(const std::vector<std::string>& args) const;
    bool takes_next_word(const std::string& option) const;

    boost::program_options::options_description description_;
    boost::program_options::variables_map values_;
    std::vector<std::string> words_;
};

}  // namespace hardrun::cli
