// SPDX-License-Identifier: Apache-2.0
// hardrun-systemd VERB UNIT < PROPERTIES: one call to systemd for the runtime.
//   start  a transient unit, and wait for it   set  properties of it
//   stop   it, wait, and forget its failure    reset  only the last
// Properties come line by line, as in unit_property.h. One line on stderr says what failed.
// Exit status: 0, 1 systemd refused, 2 wrong usage, 3 systemd cannot be reached.
#include <cstdio>
#include <string>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cgroup/systemd_helper/manager.h"

namespace {

using namespace hardrun;
using systemd_helper::Manager;

constexpr size_t kMaxInput = 4U << 20;

int fail(int status, const std::string& message) {
    (void)std::fprintf(stderr, "%s\n", message.c_str());  // nowhere else to say it
    return status;
}

Result<std::vector<cgroup::UnitProperty>> read_properties() {
    HARDRUN_TRY(const std::string text,
                read_all(FdRef::borrowed(STDIN_FILENO), "standard input", kMaxInput));
    std::vector<cgroup::UnitProperty> properties;
    for (const std::string_view line : split(text, '\n')) {
        if (line.empty())
            continue;
        HARDRUN_TRY(cgroup::UnitProperty property, cgroup::parse_property(line));
        properties.push_back(std::move(property));
    }
    return properties;
}

Status run(Manager& manager, const std::string& verb, const std::string& unit) {
    if (verb == "stop")
        return manager.stop(unit);
    if (verb == "reset")
        return manager.reset(unit);
    HARDRUN_TRY(const auto properties, read_properties());
    return verb == "start" ? manager.start(unit, properties) : manager.set(unit, properties);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string verb = argc == 3 ? argv[1] : "";
    if (verb != "start" && verb != "set" && verb != "stop" && verb != "reset")
        return fail(2, "usage: hardrun-systemd start|set|stop|reset UNIT < PROPERTIES");
    Result<Manager> manager = Manager::connect();
    if (!manager)
        return fail(3, manager.error().what());
    const Status done = run(*manager, verb, argv[2]);
    return done ? 0 : fail(1, done.error().what());
}
