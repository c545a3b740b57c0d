// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/json_writer.h"

#include "runtime/base/text.h"

namespace hardrun::json {

void Writer::new_line() {
    if (layout_ == Layout::compact)
        return;
    out_ += '\n';
    out_.append(2 * empty_.size(), ' ');
}

// Called before every key, and before every value that is no member's.
void Writer::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (empty_.empty())
        return;
    if (empty_.back() == 0)
        out_ += ',';
    empty_.back() = 0;
    new_line();
}

Writer& Writer::open(char bracket) {
    separate();
    out_ += bracket;
    empty_.push_back(1);
    return *this;
}

Writer& Writer::close(char bracket) {
    const bool was_empty = empty_.back() != 0;
    empty_.pop_back();
    if (!was_empty)
        new_line();
    out_ += bracket;
    return *this;
}

Writer& Writer::key(std::string_view name) {
    separate();
    out_ += json_quote(name);
    out_ += layout_ == Layout::compact ? ":" : ": ";
    after_key_ = true;
    return *this;
}

Writer& Writer::value(std::string_view text) {
    return put(json_quote(text));
}

Writer& Writer::put(std::string_view token) {
    separate();
    out_ += token;
    return *this;
}

}  // namespace hardrun::json
