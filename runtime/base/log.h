// SPDX-License-Identifier: Apache-2.0
// The log sink, the only mutable global of the project: lines to --log in runc's text or JSON form,
// and what users must see to stderr. Engines read the last JSON line of --log after a failure
// (C40).
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace hardrun::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

struct Options {
    std::string path;  // empty: stderr
    Format format = Format::text;
    bool debug = false;
};

// Opens the file for appending, without following a link in its last component. Error: the file's
// name.
Status open(const Options& options);

void write(Level level, std::string_view message);

inline void debug(std::string_view message) {
    write(Level::debug, message);
}
inline void info(std::string_view message) {
    write(Level::info, message);
}
inline void warning(std::string_view message) {
    write(Level::warning, message);
}

// The final error of a command: into the log, and on stderr as `hardrun: MESSAGE` (runc's habit,
// which engines' own messages build on).
void fatal(std::string_view message);

}  // namespace hardrun::log
