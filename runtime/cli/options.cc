// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/options.h"

#include <sstream>

namespace hardrun::cli {

namespace po = boost::program_options;

namespace {

constexpr int kStyle =
    (po::command_line_style::unix_style | po::command_line_style::allow_long_disguise) &
    ~po::command_line_style::allow_guessing;

}  // namespace

Options& Options::add_flag(const std::string& names, const std::string& help) {
    description_.add_options()(
        names.c_str(), po::value<bool>()->implicit_value(true, "")->value_name(""), help.c_str());
    return *this;
}

Options& Options::add_text(const std::string& names, const std::string& help) {
    description_.add_options()(names.c_str(), po::value<std::string>(), help.c_str());
    return *this;
}

Options& Options::add_texts(const std::string& names, const std::string& help) {
    description_.add_options()(names.c_str(), po::value<std::vector<std::string>>()->composing(),
                               help.c_str());
    return *this;
}

Options& Options::add_number(const std::string& names, const std::string& help) {
    description_.add_options()(names.c_str(), po::value<int64_t>(), help.c_str());
    return *this;
}

bool Options::takes_next_word(const std::string& option) const {
    if (option.find('=') != std::string::npos)
        return false;
    const std::string name = option.substr(option.find_first_not_of('-'));
    const po::option_description* known = description_.find_nothrow(name, false);
    if (known == nullptr && name.size() == 1)
        known = description_.find_nothrow("-" + name, false);
    return known != nullptr && known->semantic()->min_tokens() > 0;
}

size_t Options::option_count(const std::vector<std::string>& args) const {
    size_t i = 0;
    while (i < args.size() && args[i].size() > 1 && args[i][0] == '-') {
        if (args[i] == "--")
            return i;
        i += takes_next_word(args[i]) ? 2 : 1;
    }
    return std::min(i, args.size());
}

Status Options::parse(const std::vector<std::string>& args) {
    const size_t count = option_count(args);
    const auto split = args.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<std::string> options(args.begin(), split);
    words_.assign(split, args.end());
    if (!words_.empty() && words_.front() == "--")
        words_.erase(words_.begin());
    try {  // the library's way of failing ends here
        po::store(po::command_line_parser(options).options(description_).style(kStyle).run(),
                  values_);
        po::notify(values_);
    } catch (const po::error& e) {
        return Error(Errc::bad_config, e.what());
    }
    return {};
}

Status Options::parse_mixed(const std::vector<std::string>& args) {
    std::vector<std::string> options;
    std::vector<std::string> words;
    for (size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "--") {
            words.insert(words.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         args.end());
            break;
        }
        const bool option = args[i].size() > 1 && args[i][0] == '-';
        (option ? options : words).push_back(args[i]);
        if (option && takes_next_word(args[i]) && i + 1 < args.size())
            options.push_back(args[++i]);
    }
    options.emplace_back("--");
    options.insert(options.end(), words.begin(), words.end());
    return parse(options);
}

bool Options::flag(const std::string& name) const {
    return is_set(name) && values_[name].as<bool>();
}

std::string Options::text(const std::string& name, const std::string& otherwise) const {
    return is_set(name) ? values_[name].as<std::string>() : otherwise;
}

std::vector<std::string> Options::texts(const std::string& name) const {
    return is_set(name) ? values_[name].as<std::vector<std::string>>() : std::vector<std::string>();
}

std::optional<int64_t> Options::number(const std::string& name) const {
    return is_set(name) ? std::optional<int64_t>(values_[name].as<int64_t>()) : std::nullopt;
}

std::string Options::help() const {
    std::ostringstream out;
    out << description_;
    return out.str();
}

}  // namespace hardrun::cli
