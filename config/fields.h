// SPDX-License-Identifier: Apache-2.0
// Reading JSON objects by table: every field named once, every error with the path of its value,
// and three answers to a key: known, known but not supported (an error), unknown (a note, as the
// specification orders). Used inside config/ only.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/read_spec.h"
#include "runtime/base/json_value.h"
#include "runtime/base/result.h"

namespace hardrun::config {

// A value and the way to it. The path is built only when something is wrong with the value. Lives
// on the stack of the readers: a child never outlives its parent.
struct At {
    const json::Value& value;
    const At* parent = nullptr;
    std::string_view key;  // empty: an element of an array
    size_t index = 0;

    At member(std::string_view name, const json::Value& v) const { return {v, this, name, 0}; }
    At element(size_t i, const json::Value& v) const { return {v, this, {}, i}; }

    std::string path() const;
    Error wrong(std::string_view what) const;              // PATH: WHAT
    Error expected(std::string_view what) const;           // PATH: expected WHAT, got VALUE
    Error not_supported() const;                           // Errc::unsupported
    void note(Notes& notes, std::string_view what) const;  // PATH: WHAT, as a warning
};

enum class Need { required, optional, not_supported };

template <class T>
struct Field {
    std::string_view key;
    Need need;
    Status (*read)(const At&, T&, Notes&);
};

// ---- plain types --------------------------------------------------------------------------------

Status read(const At& at, std::string& out, Notes& notes);
Status read(const At& at, bool& out, Notes& notes);
Status read(const At& at, std::map<std::string, std::string>& out, Notes& notes);
Status read_signed(const At& at, int64_t min, int64_t max, int64_t& out);
Status read_unsigned(const At& at, uint64_t max, uint64_t& out);

template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

template <Number T>
Status read(const At& at, T& out, Notes&) {
    if constexpr (std::signed_integral<T>) {
        int64_t wide = 0;
        HARDRUN_CHECK(
            read_signed(at, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), wide));
        out = static_cast<T>(wide);
    } else {
        uint64_t wide = 0;
        HARDRUN_CHECK(read_unsigned(at, std::numeric_limits<T>::max(), wide));
        out = static_cast<T>(wide);
    }
    return {};
}

template <class T>
Status read(const At& at, std::optional<T>& out, Notes& notes) {
    T value{};
    HARDRUN_CHECK(read(at, value, notes));
    out = std::move(value);
    return {};
}

template <class T>
Status read_each(const At& at, std::vector<T>& out, Notes& notes,
                 Status (*read_one)(const At&, T&, Notes&)) {
    const json::Value::Array* items = at.value.as_array();
    if (items == nullptr)
        return at.expected("an array");
    out.clear();
    out.reserve(items->size());
    for (size_t i = 0; i < items->size(); ++i)
        HARDRUN_CHECK(read_one(at.element(i, (*items)[i]), out.emplace_back(), notes));
    return {};
}

template <class T>
Status read(const At& at, std::vector<T>& out, Notes& notes) {
    return read_each<T>(at, out, notes,
                        [](const At& a, T& one, Notes& n) { return read(a, one, n); });
}

// ---- rows ---------------------------------------------------------------------------------------

// A row for a member whose type says it all: {"uid", Need::required, member<&User::uid>}.
template <auto Member, class T>
Status member(const At& at, T& out, Notes& notes) {
    return read(at, out.*Member, notes);
}

// A row for a list or an optional object of a reader's own type.
template <auto Member, auto ReadOne, class T>
Status list_of(const At& at, T& out, Notes& notes) {
    return read_each(at, out.*Member, notes, ReadOne);
}

template <auto Member, auto ReadOne, class T>
Status nested(const At& at, T& out, Notes& notes) {
    return ReadOne(at, (out.*Member).emplace(), notes);
}

// The same as member(), and a rule about the value, `Status rule(const At&, const U&)`.
template <auto Member, auto Rule, class T>
Status checked(const At& at, T& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.*Member, notes));
    return Rule(at, out.*Member);
}

// The same rule for every element of a list of strings.
template <auto Member, auto Rule, class T>
Status checked_list(const At& at, T& out, Notes& notes) {
    HARDRUN_CHECK(read(at, out.*Member, notes));
    const json::Value::Array& items = *at.value.as_array();
    for (size_t i = 0; i < items.size(); ++i)
        HARDRUN_CHECK(Rule(at.element(i, items[i]), (out.*Member)[i]));
    return {};
}

// ---- objects ------------------------------------------------------------------------------------

// null is "not there", as for every engine written in Go; an empty list or object asks for nothing.
bool asks_for_nothing(const json::Value& value);

// Notes the keys that no row names. `known` is asked for each.
void note_unknown(const At& at, Notes& notes, std::span<const std::string_view> known);

template <class T>
Status read_fields(const At& at, std::span<const Field<T>> fields, T& out, Notes& notes) {
    if (at.value.as_object() == nullptr)
        return at.expected("an object");
    std::vector<std::string_view> known;
    known.reserve(fields.size());
    for (const Field<T>& field : fields) {
        known.push_back(field.key);
        const json::Value* value = at.value.find(field.key);
        if (value == nullptr || value->is_null()) {
            if (field.need == Need::required)
                return at.member(field.key, at.value).wrong("is required and missing");
            continue;
        }
        const At here = at.member(field.key, *value);
        if (field.need != Need::not_supported)
            HARDRUN_CHECK(field.read(here, out, notes));
        else if (!asks_for_nothing(*value))
            return here.not_supported();
    }
    note_unknown(at, notes, known);
    return {};
}

}  // namespace hardrun::config
