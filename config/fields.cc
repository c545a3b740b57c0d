// SPDX-License-Identifier: Apache-2.0
#include "config/fields.h"

namespace hardrun::config {
namespace {

std::string range(const std::string& min, const std::string& max) {
    return "a number from " + min + " to " + max;
}

bool is_integer(const json::Value& value) {
    return value.as_int() || value.as_uint();
}

}  // namespace

std::string At::path() const {
    if (parent == nullptr)
        return std::string(key);
    return key.empty() ? json::join_path(parent->path(), index)
                       : json::join_path(parent->path(), key);
}

Error At::wrong(std::string_view what) const {
    const std::string where = path();
    return Error(Errc::bad_config, (where.empty() ? "" : where + ": ") + std::string(what));
}

Error At::expected(std::string_view what) const {
    return wrong("expected " + std::string(what) + ", got " + value.describe());
}

Error At::not_supported() const {
    return Error(Errc::unsupported, path() + ": not supported by this version of hardrun");
}

void At::note(Notes& notes, std::string_view what) const {
    // A hostile file could ask for a line per value; a hundred say enough.
    constexpr size_t kMost = 100;
    if (notes.warnings.size() < kMost)
        notes.warnings.push_back(path() + ": " + std::string(what));
}

Status read(const At& at, std::string& out, Notes&) {
    const std::string* text = at.value.as_string();
    if (text == nullptr)
        return at.expected("a string");
    out = *text;
    return {};
}

Status read(const At& at, bool& out, Notes&) {
    const auto flag = at.value.as_bool();
    if (!flag)
        return at.expected("true or false");
    out = *flag;
    return {};
}

Status read(const At& at, std::map<std::string, std::string>& out, Notes& notes) {
    const json::Value::Object* object = at.value.as_object();
    if (object == nullptr)
        return at.expected("an object");
    for (const json::Member& entry : *object) {
        if (entry.key.empty())
            return at.wrong("a key is empty");
        HARDRUN_CHECK(read(at.member(entry.key, entry.value), out[entry.key], notes));
    }
    return {};
}

Status read_signed(const At& at, int64_t min, int64_t max, int64_t& out) {
    if (!is_integer(at.value))
        return at.expected("an integer");
    const auto number = at.value.as_int();
    if (!number || *number < min || *number > max)
        return at.expected(range(std::to_string(min), std::to_string(max)));
    out = *number;
    return {};
}

Status read_unsigned(const At& at, uint64_t max, uint64_t& out) {
    if (!is_integer(at.value))
        return at.expected("an integer");
    const auto number = at.value.as_uint();
    if (!number || *number > max)
        return at.expected(range("0", std::to_string(max)));
    out = *number;
    return {};
}

bool asks_for_nothing(const json::Value& value) {
    const json::Value::Array* array = value.as_array();
    const json::Value::Object* object = value.as_object();
    return value.is_null() || (array != nullptr && array->empty()) ||
           (object != nullptr && object->empty());
}

void note_unknown(const At& at, Notes& notes, std::span<const std::string_view> known) {
    for (const json::Member& entry : *at.value.as_object())
        if (std::ranges::find(known, entry.key) == known.end())
            at.member(entry.key, entry.value).note(notes, "unknown, ignored");
}

}  // namespace hardrun::config
