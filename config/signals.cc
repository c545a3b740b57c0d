// SPDX-License-Identifier: Apache-2.0
// The signal half of names.h.
#include <algorithm>
#include <array>
#include <csignal>
#include <string>

#include "config/names.h"
#include "runtime/base/text.h"

namespace hardrun::config {
namespace {

struct Row {
    std::string_view name;
    int number;
};

// glibc takes 32 and 33 for itself and says SIGRTMIN is 34; so do its users (SIGRTMIN+3 is 37, what
// systemd as a container's init expects for halt).
constexpr int kRtMin = 34;
constexpr int kRtMax = 64;

constexpr auto kSignals = std::to_array<Row>({
    {"SIGHUP", SIGHUP},       {"SIGINT", SIGINT},       {"SIGQUIT", SIGQUIT},
    {"SIGILL", SIGILL},       {"SIGTRAP", SIGTRAP},     {"SIGABRT", SIGABRT},
    {"SIGIOT", SIGABRT},      {"SIGBUS", SIGBUS},       {"SIGFPE", SIGFPE},
    {"SIGKILL", SIGKILL},     {"SIGUSR1", SIGUSR1},     {"SIGSEGV", SIGSEGV},
    {"SIGUSR2", SIGUSR2},     {"SIGPIPE", SIGPIPE},     {"SIGALRM", SIGALRM},
    {"SIGTERM", SIGTERM},     {"SIGSTKFLT", SIGSTKFLT}, {"SIGCHLD", SIGCHLD},
    {"SIGCLD", SIGCHLD},      {"SIGCONT", SIGCONT},     {"SIGSTOP", SIGSTOP},
    {"SIGTSTP", SIGTSTP},     {"SIGTTIN", SIGTTIN},     {"SIGTTOU", SIGTTOU},
    {"SIGURG", SIGURG},       {"SIGXCPU", SIGXCPU},     {"SIGXFSZ", SIGXFSZ},
    {"SIGVTALRM", SIGVTALRM}, {"SIGPROF", SIGPROF},     {"SIGWINCH", SIGWINCH},
    {"SIGIO", SIGIO},         {"SIGPOLL", SIGIO},       {"SIGPWR", SIGPWR},
    {"SIGSYS", SIGSYS},
});

// What stands behind RTMIN or RTMAX: nothing, or a sign and a number.
std::optional<int> offset(std::string_view text, char sign) {
    if (text.empty())
        return 0;
    const auto number = parse_decimal(text.substr(1), kRtMax - kRtMin);
    if (text.front() != sign || !number)
        return std::nullopt;
    return static_cast<int>(*number);
}

std::optional<int> real_time(std::string_view name) {
    if (name.starts_with("SIGRTMIN"))
        if (const auto plus = offset(name.substr(8), '+'))
            return kRtMin + *plus;
    if (name.starts_with("SIGRTMAX"))
        if (const auto minus = offset(name.substr(8), '-'))
            return kRtMax - *minus;
    return std::nullopt;
}

}  // namespace

std::optional<int> signal_number(std::string_view text) {
    if (const auto number = parse_decimal(text, kRtMax))
        return static_cast<int>(*number);
    std::string name(text);
    for (char& c : name)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    if (!name.starts_with("SIG"))
        name.insert(0, "SIG");
    const auto it = std::ranges::find(kSignals, std::string_view(name), &Row::name);
    return it != kSignals.end() ? std::optional<int>(it->number) : real_time(name);
}

std::string_view signal_name(int signal) {
    const auto it = std::ranges::find(kSignals, signal, &Row::number);
    return it != kSignals.end() ? it->name : std::string_view();
}

}  // namespace hardrun::config
