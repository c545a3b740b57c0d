// SPDX-License-Identifier: Apache-2.0
// Sizes and times as people write them on runc's command line: "64m", "1.5GiB", "500ms", "1h30m".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace hardrun::cli {

// A number of bytes with an optional unit, always in powers of 1024: b, k, m, g, t, p in either
// case, with or without "b" or "ib" behind. Errors: bad_config with what was given.
Result<int64_t> parse_bytes(std::string_view text);

// The same, and "-1" for "no limit".
Result<int64_t> parse_limit(std::string_view text);

// A Go duration in milliseconds: numbers with h, m, s, ms, us or ns; below one millisecond counts
// as one. Errors: bad_config; also for 0 and below.
Result<int64_t> parse_duration_ms(std::string_view text);

}  // namespace hardrun::cli
