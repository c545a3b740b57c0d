// SPDX-License-Identifier: Apache-2.0
// Writes JSON text. Strings go through json_quote, so the text is valid whatever bytes they hold.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hardrun::json {

enum class Layout { compact, indented };  // indented: two spaces a level

class Writer {
  public:
    explicit Writer(Layout layout = Layout::compact) : layout_(layout) {}

    Writer& begin_object() { return open('{'); }
    Writer& end_object() { return close('}'); }
    Writer& begin_array() { return open('['); }
    Writer& end_array() { return close(']'); }
    Writer& key(std::string_view name);

    Writer& value(std::string_view text);
    Writer& value(std::same_as<bool> auto flag) { return put(flag ? "true" : "false"); }
    Writer& value(std::integral auto number) requires(!std::same_as<decltype(number), bool>) {
        return put(std::to_string(number));
    }
    Writer& null() { return put("null"); }
    Writer& raw(std::string_view json) { return put(json); }  // already JSON, taken as it is

    // key() and value() in one.
    template <class T>
    Writer& field(std::string_view name, const T& v) {
        return key(name).value(v);
    }

    const std::string& text() const { return out_; }
    std::string take() { return std::move(out_); }

  private:
    Writer& open(char bracket);
    Writer& close(char bracket);
    Writer& put(std::string_view token);
    void separate();
    void new_line();

    Layout layout_;
    std::string out_;
    std::vector<char> empty_;  // one per open bracket: nothing written in it yet
    bool after_key_ = false;
};

}  // namespace hardrun::json
