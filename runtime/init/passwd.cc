// SPDX-License-Identifier: Apache-2.0
// One question to the container's passwd(5): the home folder of a uid. No NSS, no library: the file
// is the image's, and so would be whatever it made us load (CVE-2019-14271).
#include <asm/errno.h>
#include <asm/unistd.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

constexpr size_t kMaxBytes = 4 << 20;

// name:password:UID:GID:gecos:HOME:shell
struct Line {
    unsigned field = 0;
    uint64_t uid = 0;
    bool uid_valid = false;
    char home[4080] = {};
    size_t home_size = 0;
};

void take(Line& line, char c) noexcept {
    if (c == ':') {
        ++line.field;
    } else if (line.field == 2) {
        line.uid_valid = c >= '0' && c <= '9' && line.uid <= UINT32_MAX;
        line.uid = line.uid * 10 + static_cast<uint64_t>(c - '0');
        if (!line.uid_valid)
            line.uid = UINT64_MAX / 16;
    } else if (line.field == 5 && line.home_size + 1 < sizeof line.home) {
        line.home[line.home_size++] = c;
    }
}

bool is_home_of(const Line& line, uint32_t uid) noexcept {
    return line.field >= 6 && line.uid_valid && line.uid == uid && line.home_size > 0;
}

// Takes what was read; true where `line` is now the user's, its home complete.
bool scan(Line& line, const char* buffer, long n, uint32_t uid) noexcept {
    for (long i = 0; i < n; ++i) {
        if (buffer[i] != '\n') {
            take(line, buffer[i]);
            continue;
        }
        if (is_home_of(line, uid))
            return true;
        line = Line{};
    }
    return is_home_of(line, uid);
}

}  // namespace

long find_home(Run& run, int passwd) noexcept {
    Line line;
    char buffer[1024];
    for (size_t total = 0; total < kMaxBytes;) {
        const long n = run.k(__NR_read, passwd, buffer, sizeof buffer);
        if (n < 0)
            return n == -EAGAIN ? 0 : n;
        if (scan(line, buffer, n, run.plan.identity.uid) || n == 0)
            break;
        total += static_cast<size_t>(n);
    }
    if (!is_home_of(line, run.plan.identity.uid))
        return 0;
    line.home[line.home_size] = '\0';
    copy_text(run.home + 5, sizeof run.home - 5, line.home);
    return 0;
}

}  // namespace hardrun::init
