// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace hardrun {

std::string rfc3339_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    tm utc{};
    ::gmtime_r(&now.tv_sec, &utc);
    std::array<char, 64> text{};
    const size_t n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    (void)std::snprintf(text.data() + n, text.size() - n, ".%09ldZ", now.tv_nsec);
    return text.data();
}

int64_t monotonic_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void sleep_ms(int64_t milliseconds) {
    timespec t{.tv_sec = milliseconds / 1000, .tv_nsec = (milliseconds % 1000) * 1'000'000};
    ::nanosleep(&t, nullptr);
}

}  // namespace hardrun
