// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace hardrun::cli {
namespace {

// The spellings of Go's strconv.ParseBool.
constexpr std::array kTrue{"1", "t", "T", "true", "TRUE", "True"};
constexpr std::array kFalse{"0", "f", "F", "false", "FALSE", "False"};

bool is_option(std::string_view word) {
    return word.size() > 1 && word[0] == '-';
}

std::optional<int64_t> parse_number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

}  // namespace

Options& Options::add(std::string_view names, Kind kind, std::string_view help) {
    const size_t comma = names.find(',');
    const char letter = comma == std::string_view::npos ? '\0' : names[comma + 1];
    known_.push_back(
        {.name = names.substr(0, comma), .letter = letter, .kind = kind, .help = help});
    return *this;
}

Options& Options::add_flag(std::string_view names, std::string_view help) {
    return add(names, Kind::flag, help);
}

Options& Options::add_text(std::string_view names, std::string_view help) {
    return add(names, Kind::text, help);
}

Options& Options::add_texts(std::string_view names, std::string_view help) {
    return add(names, Kind::texts, help);
}

Options& Options::add_number(std::string_view names, std::string_view help) {
    return add(names, Kind::number, help);
}

const Options::Known* Options::find(std::string_view name) const {
    const auto named = [name](const Known& k) {
        return k.name == name || (name.size() == 1 && k.letter == name[0]);
    };
    const auto found = std::ranges::find_if(known_, named);
    return found == known_.end() ? nullptr : &*found;
}

Status Options::keep(const Known& known, std::string value) {
    const std::string name(known.name);
    if (known.kind == Kind::flag && std::ranges::find(kTrue, value) == kTrue.end() &&
        std::ranges::find(kFalse, value) == kFalse.end())
        return Error(Errc::bad_config, "invalid boolean value \"" + value + "\" for --" + name +
                                           ": expected true or false");
    if (known.kind == Kind::number && !parse_number(value))
        return Error(Errc::bad_config,
                     "invalid value \"" + value + "\" for --" + name + ": expected an integer");
    given_.push_back({.name = known.name, .value = std::move(value)});
    return {};
}

// Takes the option at args[at]; the number of words it was.
Result<size_t> Options::take(const std::vector<std::string>& args, size_t at) {
    std::string_view name = args[at];
    name.remove_prefix(name.starts_with("--") ? 2 : 1);
    const size_t equals = name.find('=');
    const bool attached = equals != std::string_view::npos;
    std::string value(attached ? name.substr(equals + 1) : std::string_view());
    name = name.substr(0, equals);
    const Known* const known = find(name);
    if (known == nullptr && (name == "help" || name == "h"))
        return Error(Errc::help_wanted, help());
    if (known == nullptr)
        return Error(Errc::bad_config, "flag provided but not defined: -" + std::string(name));
    size_t taken = 1;
    if (!attached && known->kind == Kind::flag) {
        value = "true";
    } else if (!attached) {
        if (at + 1 == args.size())
            return Error(Errc::bad_config, "flag needs an argument: -" + std::string(name));
        value = args[at + 1];
        taken = 2;
    }
    HARDRUN_CHECK(keep(*known, std::move(value)));
    return taken;
}

Status Options::parse(const std::vector<std::string>& args) {
    size_t i = 0;
    while (i < args.size() && is_option(args[i]) && args[i] != "--") {
        HARDRUN_TRY(const size_t taken, take(args, i));
        i += taken;
    }
    if (i < args.size() && args[i] == "--")
        ++i;
    words_.assign(args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
    return {};
}

Status Options::parse_mixed(const std::vector<std::string>& args) {
    for (size_t i = 0; i < args.size();) {
        if (args[i] == "--") {
            words_.insert(words_.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          args.end());
            break;
        }
        if (!is_option(args[i])) {
            words_.push_back(args[i++]);
            continue;
        }
        HARDRUN_TRY(const size_t taken, take(args, i));
        i += taken;
    }
    return {};
}

const std::string* Options::last(std::string_view name) const {
    for (size_t i = given_.size(); i-- > 0;)
        if (given_[i].name == name)
            return &given_[i].value;
    return nullptr;
}

bool Options::is_set(std::string_view name) const {
    return last(name) != nullptr;
}

bool Options::flag(std::string_view name) const {
    const std::string* const value = last(name);
    return value != nullptr && std::ranges::find(kTrue, *value) != kTrue.end();
}

std::string Options::text(std::string_view name, std::string_view otherwise) const {
    const std::string* const value = last(name);
    return value != nullptr ? *value : std::string(otherwise);
}

std::vector<std::string> Options::texts(std::string_view name) const {
    std::vector<std::string> out;
    for (const Given& given : given_)
        if (given.name == name)
            out.push_back(given.value);
    return out;
}

std::optional<int64_t> Options::number(std::string_view name) const {
    const std::string* const value = last(name);
    return value != nullptr ? parse_number(*value) : std::nullopt;
}

std::string Options::help() const {
    constexpr size_t kColumn = 32;
    std::string out = std::string(title_) + "\n";
    for (const Known& known : known_) {
        std::string line = "  ";
        if (known.letter != '\0')
            line += std::string("-") + known.letter + ", ";
        line += "--" + std::string(known.name);
        if (known.kind != Kind::flag)
            line += known.kind == Kind::number ? " N" : " VALUE";
        line.resize(std::max(line.size() + 1, kColumn), ' ');
        out += line + std::string(known.help) + "\n";
    }
    return out;
}

}  // namespace hardrun::cli
