// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/json_value.h"

#include <limits>

#include "runtime/base/text.h"

namespace hardrun::json {

Value::Value() = default;
Value::Value(Data data) : data_(std::move(data)) {}
Value::Value(const Value&) = default;
Value& Value::operator=(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

std::optional<bool> Value::as_bool() const {
    const bool* b = std::get_if<bool>(&data_);
    return b != nullptr ? std::optional<bool>(*b) : std::nullopt;
}

std::optional<int64_t> Value::as_int() const {
    if (const auto* n = std::get_if<int64_t>(&data_))
        return *n;
    return std::nullopt;
}

std::optional<uint64_t> Value::as_uint() const {
    if (const auto* n = std::get_if<int64_t>(&data_); n != nullptr && *n >= 0)
        return static_cast<uint64_t>(*n);
    if (const auto* n = std::get_if<uint64_t>(&data_))
        return *n;
    return std::nullopt;
}

const Value* Value::find(std::string_view key) const {
    const Object* object = as_object();
    if (object == nullptr)
        return nullptr;
    for (const Member& member : *object)
        if (member.key == key)
            return &member.value;
    return nullptr;
}

std::string Value::describe() const {
    constexpr size_t kShown = 60;
    struct Describe {
        std::string operator()(const Null&) const { return "null"; }
        std::string operator()(bool b) const { return b ? "true" : "false"; }
        std::string operator()(int64_t n) const { return std::to_string(n); }
        std::string operator()(uint64_t n) const { return std::to_string(n); }
        std::string operator()(const Number& n) const { return n.text; }
        std::string operator()(const std::string& s) const {
            return s.size() <= kShown ? json_quote(s)
                                      : "a string of " + std::to_string(s.size()) + " bytes";
        }
        std::string operator()(const Array&) const { return "an array"; }
        std::string operator()(const Object&) const { return "an object"; }
    };
    return std::visit(Describe{}, data_);
}

std::string join_path(std::string_view path, std::string_view key) {
    constexpr size_t kShown = 200;
    constexpr std::string_view kWord =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    std::string out(path);
    if (!key.empty() && key.size() <= kShown &&
        key.find_first_not_of(kWord) == std::string_view::npos)
        return out.empty() ? std::string(key) : out + "." + std::string(key);
    return out + "[" + json_quote(key.substr(0, kShown)) + "]";
}

std::string join_path(std::string_view path, size_t index) {
    return std::string(path) + "[" + std::to_string(index) + "]";
}

}  // namespace hardrun::json
