// SPDX-License-Identifier: Apache-2.0
// config.md, "POSIX-platform Hooks".
#include "config/checks.h"
#include "config/readers.h"

namespace hardrun::config {
namespace {

Status read_env(const At& at, Hook& out, Notes& notes) {
    std::vector<std::string> env;
    HARDRUN_CHECK(read(at, env, notes));
    const json::Value::Array& items = *at.value.as_array();
    for (size_t i = 0; i < env.size(); ++i)
        HARDRUN_CHECK(env_entry(at.element(i, items[i]), env[i]));
    out.env = std::move(env);
    return {};
}

Status time_limit(const At& at, const std::optional<uint32_t>& seconds) {
    if (seconds == 0U)
        return at.expected("a number of seconds above 0");
    return {};
}

constexpr Field<Hook> kHook[] = {
    {"path", Need::required, checked<&Hook::path, absolute_path>},
    {"args", Need::optional, member<&Hook::args>},
    {"env", Need::optional, read_env},
    {"timeout", Need::optional, checked<&Hook::timeout_seconds, time_limit>},
};

Status read_hook(const At& at, Hook& out, Notes& notes) {
    return read_fields<Hook>(at, kHook, out, notes);
}

constexpr Field<Hooks> kHooks[] = {
    {"prestart", Need::optional, list_of<&Hooks::prestart, read_hook>},
    {"createRuntime", Need::optional, list_of<&Hooks::create_runtime, read_hook>},
    {"createContainer", Need::optional, list_of<&Hooks::create_container, read_hook>},
    {"startContainer", Need::optional, list_of<&Hooks::start_container, read_hook>},
    {"poststart", Need::optional, list_of<&Hooks::poststart, read_hook>},
    {"poststop", Need::optional, list_of<&Hooks::poststop, read_hook>},
};

}  // namespace

Status read(const At& at, Hooks& out, Notes& notes) {
    return read_fields<Hooks>(at, kHooks, out, notes);
}

}  // namespace hardrun::config
