// SPDX-License-Identifier: Apache-2.0
// yajl's event parser into our own tree. yajl_tree is not used: it leaks on errors (CVE-2023-33460)
// and knows neither limits nor paths. What yajl is lax about is checked here: overlong UTF-8, lone
// surrogates (it writes '?' for them), duplicate keys.
#include <yajl/yajl_parse.h>

#include <algorithm>
#include <memory>

#include "runtime/base/json_value.h"
#include "runtime/base/text.h"

namespace hardrun::json {
namespace {

struct YajlFree {
    void operator()(yajl_handle_t* handle) const { yajl_free(handle); }
};
using Handle = std::unique_ptr<yajl_handle_t, YajlFree>;

// One open object or array.
struct Frame {
    Value::Array items;
    Value::Object members;
    std::string key;  // of the member being read
    bool is_object = false;
};

class Builder {
  public:
    explicit Builder(const Limits& limits) : limits_(limits) {}

    bool open(bool is_object) {
        if (frames_.size() >= limits_.depth)
            return fail("nested deeper than " + std::to_string(limits_.depth) + " levels");
        if (frames_.empty() && !is_object)
            return not_an_object();
        frames_.emplace_back();
        frames_.back().is_object = is_object;
        return true;
    }

    bool key(std::string_view text) {
        if (!count_text(text))
            return false;
        frames_.back().key = text;
        return true;
    }

    bool close() {
        Frame frame = std::move(frames_.back());
        if (frame.is_object && !keys_unique(frame.members))
            return false;
        frames_.pop_back();
        return add(frame.is_object ? Value(std::move(frame.members))
                                   : Value(std::move(frame.items)));
    }

    bool string(std::string_view text) {
        return count_text(text) && add(Value(Value::Data(std::string(text))));
    }

    bool number(std::string_view text) {
        constexpr size_t kLongest = 64;
        if (text.size() > kLongest)
            return fail("a number of " + std::to_string(text.size()) + " characters");
        const bool negative = text.starts_with('-');
        const auto magnitude = parse_decimal(negative ? text.substr(1) : text);
        constexpr uint64_t kIntMax = INT64_MAX;
        if (!magnitude || (negative && *magnitude > kIntMax + 1))
            return add(Value(Value::Number{std::string(text)}));
        if (negative)
            return add(Value(static_cast<int64_t>(0 - *magnitude)));
        if (*magnitude > kIntMax)
            return add(Value(*magnitude));
        return add(Value(static_cast<int64_t>(*magnitude)));
    }

    bool add(Value value) {
        if (++values_ > limits_.values)
            return fail("more than " + std::to_string(limits_.values) + " values");
        if (frames_.empty()) {
            if (value.as_object() == nullptr)
                return not_an_object();
            root_ = std::move(value);
        } else if (frames_.back().is_object) {
            Frame& top = frames_.back();
            top.members.push_back(Member{std::move(top.key), std::move(value)});
            top.key.clear();
        } else {
            frames_.back().items.push_back(std::move(value));
        }
        return true;
    }

    std::string& error() { return error_; }
    Value& root() { return root_; }

  private:
    bool not_an_object() { return fail("expected an object at the top level"); }

    bool fail(std::string_view what) {
        const std::string where = path();
        error_ = where.empty() ? std::string(what) : where + ": " + std::string(what);
        return false;
    }

    std::string path() const {
        constexpr size_t kShown = 8;
        std::string out;
        for (size_t i = 0; i < frames_.size() && i < kShown; ++i) {
            const Frame& frame = frames_[i];
            if (!frame.is_object)
                out = join_path(out, frame.items.size());
            else if (!frame.key.empty())
                out = join_path(out, frame.key);
        }
        return out;
    }

    bool count_text(std::string_view text) {
        text_bytes_ += text.size();
        if (text_bytes_ > limits_.strings_bytes)
            return fail("more than " + std::to_string(limits_.strings_bytes) + " bytes of strings");
        if (text.find('\0') != std::string_view::npos)
            return fail("a string with a NUL");
        if (!valid_utf8(text))
            return fail("a string that is not valid UTF-8");
        return true;
    }

    // Sorted rather than compared pairwise: a hostile object has as many keys as the limits allow.
    bool keys_unique(const Value::Object& members) {
        std::vector<std::string_view> keys;
        keys.reserve(members.size());
        for (const Member& member : members)
            keys.emplace_back(member.key);
        std::ranges::sort(keys);
        const auto twice = std::ranges::adjacent_find(keys);
        if (twice == keys.end())
            return true;
        frames_.back().key.clear();  // close() took it; the path ends with the doubled key
        error_ = join_path(path(), *twice) + ": the key is there twice";
        return false;
    }

    const Limits limits_;
    std::vector<Frame> frames_;
    Value root_;
    size_t values_ = 0;
    size_t text_bytes_ = 0;
    std::string error_;
};

Builder& builder(void* context) {
    return *static_cast<Builder*>(context);
}

std::string_view view(const unsigned char* text, size_t size) {
    return {reinterpret_cast<const char*>(text), size};
}

constexpr yajl_callbacks kCallbacks = {
    .yajl_null = [](void* c) -> int { return builder(c).add(Value()); },
    .yajl_boolean = [](void* c, int b) -> int { return builder(c).add(Value(b != 0)); },
    .yajl_integer = nullptr,
    .yajl_double = nullptr,
    .yajl_number = [](void* c, const char* text, size_t size) -> int {
        return builder(c).number({text, size});
    },
    .yajl_string = [](void* c, const unsigned char* text, size_t size) -> int {
        return builder(c).string(view(text, size));
    },
    .yajl_start_map = [](void* c) -> int { return builder(c).open(true); },
    .yajl_map_key = [](void* c, const unsigned char* text, size_t size) -> int {
        return builder(c).key(view(text, size));
    },
    .yajl_end_map = [](void* c) -> int { return builder(c).close(); },
    .yajl_start_array = [](void* c) -> int { return builder(c).open(false); },
    .yajl_end_array = [](void* c) -> int { return builder(c).close(); },
};

std::string position(std::string_view text, size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto lines = static_cast<size_t>(std::ranges::count(before, '\n'));
    const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return "line " + std::to_string(lines + 1) + ", column " +
           std::to_string(before.size() - start + 1) + ": ";
}

Error error_at(std::string_view text, size_t offset, std::string_view what) {
    return Error(Errc::bad_config, position(text, offset) + std::string(what));
}

// The four hex digits after "\u", or 0 where they are none (yajl reports those itself).
unsigned escape_value(std::string_view text, size_t at) {
    constexpr std::string_view kHex = "0123456789abcdef";
    if (!text.substr(at).starts_with("\\u") || text.size() < at + 6)
        return 1;
    unsigned value = 0;
    for (size_t i = at + 2; i < at + 6; ++i) {
        const size_t digit = kHex.find(static_cast<char>(text[i] | 0x20));
        if (digit == std::string_view::npos)
            return 1;
        value = value * 16 + static_cast<unsigned>(digit);
    }
    return value;
}

// Looks at one string before yajl does, which would copy one of any length and would turn half a
// surrogate pair into '?'. Moves `at` behind the closing quote.
Status check_string(std::string_view text, size_t& at, const Limits& limits) {
    const size_t start = at++;
    while (at < text.size() && text[at] != '"') {
        if (at - start > limits.string_bytes)
            return error_at(text, start, "a string longer than hardrun reads");
        if (text[at] != '\\') {
            ++at;
            continue;
        }
        const unsigned unit = escape_value(text, at);
        const bool high = unit >= 0xD800 && unit <= 0xDBFF;
        const bool low = unit >= 0xDC00 && unit <= 0xDFFF;
        const unsigned next = high ? escape_value(text, std::min(at + 6, text.size())) : 0;
        if (low || (high && (next < 0xDC00 || next > 0xDFFF)))
            return error_at(text, at, "half of a surrogate pair");
        at += high ? 12 : 2;
    }
    ++at;
    return {};
}

Status check_strings(std::string_view text, const Limits& limits) {
    size_t at = text.find('"');
    while (at < text.size()) {
        HARDRUN_CHECK(check_string(text, at, limits));
        at = at < text.size() ? text.find('"', at) : std::string_view::npos;
    }
    return {};
}

Status check_whole(std::string_view text, const Limits& limits) {
    if (text.size() > limits.bytes)
        return Error(Errc::bad_config, "larger than " + std::to_string(limits.bytes) + " bytes");
    if (text.starts_with("\xEF\xBB\xBF"))
        return error_at(text, 0, "a byte order mark: save the file as UTF-8 without one");
    if (trim(text).empty())
        return Error(Errc::bad_config, "the file is empty");
    return check_strings(text, limits);
}

}  // namespace

Result<Value> parse(std::string_view text, const Limits& limits) {
    HARDRUN_CHECK(check_whole(text, limits));
    Builder out(limits);
    const Handle handle(yajl_alloc(&kCallbacks, nullptr, &out));
    if (!handle)
        return Error(Errc::internal, "yajl_alloc: no memory");
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    yajl_status status = yajl_parse(handle.get(), bytes, text.size());
    const size_t consumed = std::min(yajl_get_bytes_consumed(handle.get()), text.size());
    if (status == yajl_status_ok)
        status = yajl_complete_parse(handle.get());
    if (status == yajl_status_ok)
        return std::move(out.root());
    if (!out.error().empty())
        return Error(Errc::bad_config, std::move(out.error()));
    unsigned char* raw = yajl_get_error(handle.get(), 0, bytes, text.size());
    const std::string why(trim(reinterpret_cast<const char*>(raw)));
    yajl_free_error(handle.get(), raw);
    // yajl has taken the offending byte already.
    return error_at(text, consumed > 0 ? consumed - 1 : 0, why);
}

}  // namespace hardrun::json
