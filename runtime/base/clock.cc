// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace hardrun {

namespace {

struct Date {
    int64_t year, month, day;
};

// The proleptic Gregorian calendar, counted in eras of 400 years that begin in March. gmtime(3)
// would read the time zone's file first.
Date date_of(int64_t days_since_1970) {
    const int64_t days = days_since_1970 + 719'468;
    const int64_t era = days / 146'097;
    const int64_t day_of_era = days % 146'097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month, day};
}

}  // namespace

std::string rfc3339_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const int64_t seconds = now.tv_sec % 86'400;
    const Date date = date_of(now.tv_sec / 86'400);
    std::array<char, 96> text{};
    (void)std::snprintf(text.data(), text.size(),
                        "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld.%09ldZ",
                        static_cast<long long>(date.year), static_cast<long long>(date.month),
                        static_cast<long long>(date.day), static_cast<long long>(seconds / 3600),
                        static_cast<long long>(seconds / 60 % 60),
                        static_cast<long long>(seconds % 60), now.tv_nsec);
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
