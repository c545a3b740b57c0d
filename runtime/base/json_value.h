// SPDX-License-Identifier: Apache-2.0
// JSON text into a tree, strictly: what RFC 8259 leaves open (duplicate keys, NUL, lone surrogates,
// a byte order mark) is an error here, because two programs that read such a file differently are
// how a check is passed by. Integers are exact up to 64 bits; nothing is ever rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun::json {

struct Member;

class Value {
  public:
    struct Null {};
    // A number that is no 64-bit integer as written ("1.5", "100.0", "1e2", 30 digits): the text
    // only.
    struct Number {
        std::string text;
    };
    using Array = std::vector<Value>;
    using Object = std::vector<Member>;  // in the order of the text; keys are unique
    using Data = std::variant<Null, bool, int64_t, uint64_t, Number, std::string, Array, Object>;

    // Not inline: Member is incomplete here, which clang 14 takes seriously.
    Value();
    explicit Value(Data data);
    Value(const Value&);
    Value& operator=(const Value&);
    Value(Value&&) noexcept;
    Value& operator=(Value&&) noexcept;
    ~Value();

    bool is_null() const { return std::holds_alternative<Null>(data_); }
    std::optional<bool> as_bool() const;
    std::optional<int64_t> as_int() const;    // empty also where it does not fit
    std::optional<uint64_t> as_uint() const;  // empty for negative numbers
    const std::string* as_string() const { return std::get_if<std::string>(&data_); }
    const Array* as_array() const { return std::get_if<Array>(&data_); }
    const Object* as_object() const { return std::get_if<Object>(&data_); }

    // The member of an object; nullptr where there is none, or where this is no object.
    const Value* find(std::string_view key) const;

    // For the "got ..." half of an error: the value itself when short, else what kind it is.
    std::string describe() const;

    const Data& data() const { return data_; }

  private:
    Data data_;
};

struct Member {
    std::string key;
    Value value;
};

// A config.json has a few thousand values. The ceilings keep a hostile file of any legal size below
// 64 MiB of memory over its own size.
struct Limits {
    size_t bytes = 64U << 20;
    size_t depth = 128;
    size_t values = 1U << 18;
    size_t string_bytes = 4U << 20;    // one string, as written
    size_t strings_bytes = 24U << 20;  // all strings and keys together
};

// The top level must be an object. Errors: bad_config, with line and column or with the JSON path.
Result<Value> parse(std::string_view text, const Limits& limits = {});

// "a.b" + "c" = "a.b.c"; a key that is no plain word is quoted: `annotations["x.y"]`.
std::string join_path(std::string_view path, std::string_view key);
std::string join_path(std::string_view path, size_t index);

}  // namespace hardrun::json
