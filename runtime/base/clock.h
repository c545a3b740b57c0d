// SPDX-License-Identifier: Apache-2.0
// Time in the two forms that the command line needs.
#pragma once

#include <cstdint>
#include <string>

namespace hardrun {

// The wall clock as RFC 3339 with nanoseconds, in UTC: "2026-01-31T10:00:00.123456789Z".
std::string rfc3339_now();

// Milliseconds of the monotonic clock, for deadlines.
int64_t monotonic_ms();

void sleep_ms(int64_t milliseconds);

}  // namespace hardrun
