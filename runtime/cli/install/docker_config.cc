// SPDX-License-Identifier: Apache-2.0
// dockerd's daemon.json: the object "runtimes". Order and all other members stay; where nothing
// changes, so does every byte.
#include <algorithm>

#include "runtime/base/json_value.h"
#include "runtime/base/json_writer.h"
#include "runtime/base/text.h"
#include "runtime/cli/install/engine.h"

namespace hardrun::cli::install {
namespace {

using json::Member;
using json::Value;
using Object = Value::Object;

void write(json::Writer& w, const Value& value) {
    if (const auto* object = value.as_object()) {
        w.begin_object();
        for (const Member& m : *object)
            write(w.key(m.key), m.value);
        w.end_object();
    } else if (const auto* array = value.as_array()) {
        w.begin_array();
        for (const Value& v : *array)
            write(w, v);
        w.end_array();
    } else if (const std::string* text = value.as_string()) {
        w.value(*text);
    } else if (const auto flag = value.as_bool()) {
        w.value(*flag);
    } else if (const auto number = value.as_int()) {
        w.value(*number);
    } else if (const auto big = value.as_uint()) {
        w.value(*big);
    } else if (const auto* other = std::get_if<Value::Number>(&value.data())) {
        w.raw(other->text);
    } else {
        w.null();
    }
}

std::string to_text(Object object) {
    json::Writer w(json::Layout::indented);
    write(w, Value(Value::Data(std::move(object))));
    return w.take() + "\n";
}

// An empty file is as good as none.
Result<Object> read(std::string_view text) {
    if (trim(text).empty())
        return Object();
    HARDRUN_TRY(const Value value, json::parse(text));
    return *value.as_object();
}

Result<Object> runtimes_in(const Object& daemon) {
    const auto it = std::ranges::find(daemon, "runtimes", &Member::key);
    if (it == daemon.end())
        return Object();
    if (it->value.as_object() == nullptr)
        return Error(Errc::bad_config, "runtimes: expected an object, got " + it->value.describe());
    return *it->value.as_object();
}

void set(Object& object, std::string_view key, Value value) {
    const auto it = std::ranges::find(object, key, &Member::key);
    if (it != object.end())
        it->value = std::move(value);
    else
        object.push_back({std::string(key), std::move(value)});
}

// The path of an entry, or nullptr.
const std::string* path_of(const Value& entry) {
    const Value* path = entry.find("path");
    return path == nullptr ? nullptr : path->as_string();
}

// Whoever gave one of our names to another program meant something by it.
bool is_ours(const Member& entry) {
    const auto names = runtime_names();
    const std::string* path = path_of(entry.value);
    return std::ranges::find(names, entry.key) != names.end() && path != nullptr &&
           path->ends_with("/" + entry.key);
}

Value entry_for(const Runtime& runtime) {
    Object entry;
    entry.push_back({"path", Value(Value::Data(runtime.path))});
    return Value(Value::Data(std::move(entry)));
}

bool same_paths(const Object& now, const Runtimes& wanted) {
    const auto ours = std::ranges::count_if(now, is_ours);
    return ours == std::ssize(wanted) && std::ranges::all_of(wanted, [&](const Runtime& r) {
               const auto it = std::ranges::find(now, r.name, &Member::key);
               return it != now.end() && path_of(it->value) != nullptr &&
                      *path_of(it->value) == r.path;
           });
}

}  // namespace

Result<std::string> add_to_docker(std::string_view text, const Runtimes& wanted) {
    HARDRUN_TRY(Object daemon, read(text));
    HARDRUN_TRY(Object runtimes, runtimes_in(daemon));
    if (same_paths(runtimes, wanted))
        return std::string(text);
    std::erase_if(runtimes, [&](const Member& m) {
        return is_ours(m) && std::ranges::find(wanted, m.key, &Runtime::name) == wanted.end();
    });
    for (const Runtime& runtime : wanted) {
        const auto it = std::ranges::find(runtimes, runtime.name, &Member::key);
        if (it != runtimes.end() && !is_ours(*it))
            return Error(Errc::bad_config, "runtimes." + runtime.name +
                                               ": is there already, and not from hardrun; take it "
                                               "out or rename it");
        set(runtimes, runtime.name, entry_for(runtime));
    }
    set(daemon, "runtimes", Value(Value::Data(std::move(runtimes))));
    return to_text(std::move(daemon));
}

Result<std::string> take_from_docker(std::string_view text) {
    HARDRUN_TRY(Object daemon, read(text));
    HARDRUN_TRY(Object runtimes, runtimes_in(daemon));
    const auto standard = std::ranges::find(daemon, "default-runtime", &Member::key);
    const std::string* name = standard == daemon.end() ? nullptr : standard->value.as_string();
    if (name != nullptr && std::ranges::any_of(runtimes, [&](const Member& m) {
            return m.key == *name && is_ours(m);
        }))
        return Error(Errc::bad_config, "default-runtime: is \"" + *name +
                                           "\"; set it to another runtime first, or docker could "
                                           "not start");
    if (std::erase_if(runtimes, is_ours) == 0)
        return std::string(text);
    if (runtimes.empty())
        std::erase_if(daemon, [](const Member& m) { return m.key == "runtimes"; });
    else
        set(daemon, "runtimes", Value(Value::Data(std::move(runtimes))));
    return to_text(std::move(daemon));
}

}  // namespace hardrun::cli::install
