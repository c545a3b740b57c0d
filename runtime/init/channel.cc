// SPDX-License-Identifier: Apache-2.0
// The conversation with the parent, and the text helpers that replace the C library here.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/net.h>
#include <linux/socket.h>

#include "runtime/init/run.h"

namespace hardrun::init {
namespace {

// The kernel's own layouts (struct user_msghdr, struct cmsghdr): the C library's headers are not
// here.
struct IoVec {
    const void* base;
    size_t size;
};
struct ControlMessage {
    size_t length;
    int level;
    int type;
    int fd;
    int padding;
};
struct MessageHeader {
    void* name;
    int name_size;
    IoVec* parts;
    size_t part_count;
    void* control;
    size_t control_size;
    unsigned flags;
};
constexpr int kSolSocket = 1;
constexpr int kScmRights = 1;
constexpr int kMsgNoSignal = 0x4000;

}  // namespace

size_t length(const char* text) noexcept {
    size_t n = 0;
    while (text[n] != '\0')
        ++n;
    return n;
}

bool equal(const char* a, const char* b, size_t n) noexcept {
    for (size_t i = 0; i < n; ++i)
        if (a[i] != b[i])
            return false;
    return true;
}

void copy_text(char* to, size_t size, const char* from) noexcept {
    size_t i = 0;
    for (; i + 1 < size && from[i] != '\0'; ++i)
        to[i] = from[i];
    to[i] = '\0';
}

long send_message(Run& run, const Message& message, int fd) noexcept {
    IoVec part{&message, sizeof message};
    ControlMessage control{sizeof(size_t) + 2 * sizeof(int) + sizeof(int), kSolSocket, kScmRights,
                           fd, 0};
    MessageHeader header{};
    header.parts = &part;
    header.part_count = 1;
    if (fd >= 0) {
        header.control = &control;
        header.control_size = sizeof control;
    }
    return run.k(__NR_sendmsg, run.report_fd, &header, kMsgNoSignal);
}

long await_go(Run& run) noexcept {
    Message message;
    while (true) {
        const long n =
            run.k(__NR_recvfrom, run.plan.sync_fd, &message, sizeof message, 0, nullptr, nullptr);
        if (n == -EINTR)
            continue;
        if (n < 0)
            return n;
        return n == sizeof message && message.word == Word::go ? 0 : -ECANCELED;
    }
}

namespace {

// The parent's placement goes on beside the mounts, but where something depends on it: the root of
// a cgroup namespace is where the process is, and a second process may only speak after the first.
bool placed_first(const InitPlan& plan) noexcept {
    return plan.mode != Mode::create || plan.new_cgroup_ns || plan.fork_early;
}

}  // namespace

long await_parent(Run& run) noexcept {
    return placed_first(run.plan) ? await_go(run) : 0;
}

long await_placement(Run& run) noexcept {
    return placed_first(run.plan) ? 0 : await_go(run);
}

long hooks(Run& run) noexcept {
    if (!run.plan.run_hooks)
        return 0;
    const Message prepared{.word = Word::prepared};
    if (const long sent = send_message(run, prepared, -1); sent < 0)
        return sent;
    return await_go(run);
}

}  // namespace hardrun::init
