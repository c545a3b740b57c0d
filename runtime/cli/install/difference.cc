// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/install/difference.h"

#include <algorithm>
#include <vector>

#include "runtime/base/text.h"

namespace hardrun::cli::install {
namespace {

constexpr size_t kAround = 3;

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
    if (text.empty())
        return {};
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    return split(text, '\n');
}

void append(std::string& out, char mark, const Lines& lines, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
        out.append(1, mark).append(lines[i]).append("\n");
}

std::string range(size_t from, size_t to) {
    return std::to_string(from == to ? from : from + 1) + "," + std::to_string(to - from);
}

}  // namespace

std::string difference(std::string_view file, std::string_view before, std::string_view after) {
    if (before == after)
        return "";
    const Lines a = lines_of(before);
    const Lines b = lines_of(after);
    const size_t shorter = std::min(a.size(), b.size());
    size_t head = 0;
    while (head < shorter && a[head] == b[head])
        ++head;
    size_t tail = 0;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    const size_t from = head - std::min(head, kAround);
    const size_t more = std::min(tail, kAround);
    const size_t a_end = a.size() - tail;
    const size_t b_end = b.size() - tail;
    std::string out = "--- " + std::string(file) + "\n+++ " + std::string(file) + "\n@@ -" +
                      range(from, a_end + more) + " +" + range(from, b_end + more) + " @@\n";
    append(out, ' ', a, from, head);
    append(out, '-', a, head, a_end);
    append(out, '+', b, head, b_end);
    append(out, ' ', a, a_end, a_end + more);
    return out;
}

}  // namespace hardrun::cli::install
