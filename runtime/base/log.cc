// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/base/text.h"

namespace hardrun::log {
namespace {

struct Sink {
    Fd file;
    Format format = Format::text;
    bool debug = false;
};

Sink& sink() {
    static Sink s;
    return s;
}

std::string_view name(Level level) {
    constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
    return kNames.at(static_cast<size_t>(level));
}

std::string line(Format format, Level level, std::string_view message) {
    if (format == Format::json)
        return R"({"level":")" + std::string(name(level)) + R"(","msg":)" + json_quote(message) +
               R"(,"time":")" + rfc3339_now() + "\"}\n";
    return "time=\"" + rfc3339_now() + "\" level=" + std::string(name(level)) +
           " msg=" + json_quote(message) + "\n";
}

// One write per line, so that lines of processes sharing the file do not mix. A log that cannot be
// written must not fail the command it describes.
void put(int fd, const std::string& text) {
    (void)!::write(fd, text.data(), text.size());
}

}  // namespace

Status open(const Options& options) {
    sink().format = options.format;
    sink().debug = options.debug;
    if (options.path.empty())
        return {};
    HARDRUN_TRY(sink().file, open_at(FdRef::cwd(), options.path,
                                     O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0644)
                                 .context("--log"));
    return {};
}

void write(Level level, std::string_view message) {
    if (level == Level::debug && !sink().debug)
        return;
    // What a profile changed belongs in the log; standard error is the program's as well.
    if (level == Level::info && !sink().debug && !sink().file.valid())
        return;
    const int fd = sink().file.valid() ? sink().file.get() : STDERR_FILENO;
    put(fd, line(sink().format, level, message));
}

void fatal(std::string_view message) {
    write(Level::error, message);
    if (sink().file.valid())
        put(STDERR_FILENO, "hardrun: " + std::string(message) + "\n");
}

}  // namespace hardrun::log
