// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/install/toml_outline.h"

#include <algorithm>
#include <cctype>

#include "runtime/base/text.h"

namespace hardrun::cli::install {
namespace {

constexpr int kMaxDepth = 64;

bool is_bare(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

bool starts_with(const TomlPath& path, const TomlPath& prefix) {
    return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    Result<TomlOutline> run() {
        if (!valid_utf8(text_))
            return Error(Errc::bad_config, "is no UTF-8 text");
        TomlPath table;
        while (skip_lines()) {
            HARDRUN_CHECK(peek() == '[' ? header(table) : pair(table, 0));
            blanks();
            if (peek() == '#')
                comment();
            if (!done() && peek() != '\n' && peek() != '\r')
                return wrong("the end of the line");
        }
        return std::move(out_);
    }

  private:
    bool done() const { return at_ >= text_.size(); }
    char peek() const { return done() ? '\0' : text_[at_]; }
    bool next_is(std::string_view word) const { return text_.substr(at_).starts_with(word); }
    bool take(char c) {
        const bool there = !done() && peek() == c;
        at_ += there ? 1 : 0;
        return there;
    }
    Error wrong(std::string_view expected) const {
        const auto line = std::ranges::count(text_.substr(0, at_), '\n') + 1;
        return Error(Errc::bad_config,
                     "line " + std::to_string(line) + ": expected " + std::string(expected));
    }
    void blanks() {
        while (peek() == ' ' || peek() == '\t')
            ++at_;
    }
    void comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }
    // To the next thing that is neither white space nor comment; false at the end.
    bool skip_lines() {
        while (!done()) {
            if (peek() == '#')
                comment();
            else if (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
                ++at_;
            else
                return true;
        }
        return false;
    }

    Status header(TomlPath& table) {
        take('[');
        const bool of_many = take('[');
        table.clear();
        HARDRUN_CHECK(key(table));
        if (!take(']') || (of_many && !take(']')))
            return wrong("]");
        if (!of_many && std::ranges::find(out_.tables, table) != out_.tables.end())
            return wrong("each table once, not a second [" + toml_text(table) + "]");
        out_.tables.push_back(table);
        return {};
    }

    Status pair(const TomlPath& table, int depth) {
        TomlPath path = table;
        HARDRUN_CHECK(key(path));
        if (!take('='))
            return wrong("=");
        blanks();
        const size_t from = at_;
        HARDRUN_CHECK(value(path, depth));
        out_.keys.push_back({path, std::string(text_.substr(from, at_ - from))});
        return {};
    }

    // Dotted, and the blanks behind it.
    Status key(TomlPath& path) {
        do {
            blanks();
            HARDRUN_CHECK(key_part(path));
            blanks();
        } while (take('.'));
        return {};
    }

    Status key_part(TomlPath& path) {
        const size_t from = at_;
        if (peek() == '"' || peek() == '\'') {
            HARDRUN_CHECK(quoted(peek()));
            path.emplace_back(text_.substr(from + 1, at_ - 2 - from));
            return {};
        }
        while (is_bare(peek()))
            ++at_;
        if (at_ == from)
            return wrong("a key");
        path.emplace_back(text_.substr(from, at_ - from));
        return {};
    }

    Status quoted(char quote) {
        for (++at_; !done() && peek() != '\n'; ++at_) {
            if (peek() == quote) {
                ++at_;
                return {};
            }
            if (quote == '"' && peek() == '\\')
                ++at_;
        }
        return wrong("the closing quote");
    }

    Status long_string(std::string_view quote) {
        at_ += quote.size();
        while (!done() && !next_is(quote))
            at_ += quote[0] == '"' && peek() == '\\' ? 2 : 1;
        if (done())
            return wrong("the closing " + std::string(quote));
        at_ += quote.size();
        while (peek() == quote[0])  // up to two more belong to the text
            ++at_;
        return {};
    }

    Status value(const TomlPath& path, int depth) {
        if (depth > kMaxDepth)
            return wrong("at most 64 levels");
        if (next_is("\"\"\"") || next_is("'''"))
            return long_string(text_.substr(at_, 3));
        if (peek() == '"' || peek() == '\'')
            return quoted(peek());
        if (take('['))
            return array(path, depth);
        if (take('{'))
            return inline_table(path, depth);
        return plain();
    }

    Status array(const TomlPath& path, int depth) {
        while (skip_lines()) {
            if (take(']'))
                return {};
            HARDRUN_CHECK(value(path, depth + 1));
            if (!skip_lines() || (!take(',') && peek() != ']'))
                break;
        }
        return wrong("] or ,");
    }

    Status inline_table(const TomlPath& path, int depth) {
        blanks();
        if (take('}'))
            return {};
        do {
            HARDRUN_CHECK(pair(path, depth + 1));
            blanks();
        } while (take(','));
        return take('}') ? Status() : Status(wrong("}"));
    }

    // A number, a date, true or false; dates may have one blank inside.
    Status plain() {
        const size_t from = at_;
        while (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':')
            ++at_;
        const std::string_view word = text_.substr(from, at_ - from);
        if (word == "true" || word == "false" || word.ends_with("inf") || word.ends_with("nan"))
            return {};
        const size_t digit = word.find_first_of("0123456789");
        if (digit > 1)  // also where there is none
            return wrong("a value");
        if (word.size() == 10 && word[4] == '-' && peek() == ' ' &&
            std::isdigit(static_cast<unsigned char>(text_.substr(at_).substr(0, 2).back())) != 0)
            while (peek() == ' ' || is_bare(peek()) || peek() == ':' || peek() == '.')
                ++at_;
        return {};
    }

    std::string_view text_;
    size_t at_ = 0;
    TomlOutline out_;
};

}  // namespace

const std::string* TomlOutline::find(const TomlPath& path) const {
    const auto it = std::ranges::find(keys, path, &TomlKey::path);
    return it != keys.end() ? &it->value : nullptr;
}

bool TomlOutline::has(const TomlPath& path) const {
    const auto below = [&](const TomlPath& other) { return starts_with(other, path); };
    return std::ranges::any_of(tables, below) || std::ranges::any_of(keys, below, &TomlKey::path);
}

bool TomlOutline::blocks(const TomlPath& path) const {
    return std::ranges::any_of(
        keys, [&](const TomlPath& other) { return starts_with(path, other); }, &TomlKey::path);
}

Result<TomlOutline> outline_toml(std::string_view text) {
    return Scanner(text).run();
}

std::string toml_text(const TomlPath& path) {
    std::string out;
    for (const std::string& part : path) {
        const bool bare = !part.empty() && std::ranges::all_of(part, is_bare);
        out += (out.empty() ? "" : ".") + (bare ? part : toml_string(part));
    }
    return out;
}

// The escapes of JSON are TOML's too.
std::string toml_string(std::string_view text) {
    return json_quote(text);
}

}  // namespace hardrun::cli::install
