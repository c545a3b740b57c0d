// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "runtime/base/file.h"
#include "runtime/base/json_writer.h"
#include "runtime/base/text.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/container.h"

namespace hardrun::cli {
namespace {

std::string as_json(const std::vector<pid_t>& pids) {
    json::Writer w;
    w.begin_array();
    for (const pid_t pid : pids)
        w.value(pid);
    return w.end_array().take() + "\n";
}

// The host's ps(1) with the caller's options.
Result<std::string> host_ps(const Args& options) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return Error::sys("pipe");
    const Fd out(ends[0]);
    Fd in(ends[1]);
    std::vector<std::string> words = {"ps"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0)
        return Error::sys("fork");
    if (pid == 0) {
        ::dup2(in.get(), STDOUT_FILENO);
        ::execvp("ps", argv.data());
        ::_exit(127);
    }
    in.reset();
    auto text = read_all(out, "ps");
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return Error(Errc::kernel, "ps: exit status " + std::to_string(WEXITSTATUS(status)) +
                                       " (is the package procps installed?)");
    return text;
}

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> out;
    for (const std::string_view word : split(line, ' '))
        if (!word.empty())
            out.emplace_back(word);
    return out;
}

// The title line, and those whose PID column is one of the container's.
Result<std::string> filter(const std::string& text, const std::vector<pid_t>& pids) {
    const auto lines = split(trim(text), '\n');
    const std::vector<std::string> title = fields_of(lines.front());
    const auto column = std::ranges::find(title, "PID");
    if (column == title.end())
        return Error(Errc::bad_config, "couldn't find PID field in ps output");
    const auto index = static_cast<size_t>(column - title.begin());
    std::string out = std::string(lines.front()) + "\n";
    for (size_t i = 1; i < lines.size(); ++i) {
        const auto fields = fields_of(lines[i]);
        const auto pid = index < fields.size() ? parse_decimal(fields[index]) : std::nullopt;
        if (pid && std::ranges::find(pids, static_cast<pid_t>(*pid)) != pids.end())
            out += std::string(lines[i]) + "\n";
    }
    return out;
}

}  // namespace

Result<int> run_ps(const Global& global, const Args& args) {
    Options o("ps: the processes of a container, as the host sees them");
    HARDRUN_CHECK(o.add_text("format,f", "table or json").parse(args));
    const std::string format = o.text("format", "table");
    if (format != "table" && format != "json")
        return Error(Errc::bad_config, "--format: expected table or json, got \"" + format + "\"");
    if (o.words().empty())
        return Error(Errc::bad_config, "the container's id is missing");
    HARDRUN_TRY(const launch::Container container,
                launch::Container::open(global.store, o.words().front()));
    HARDRUN_TRY(const auto groups, container.groups());
    std::vector<pid_t> pids;
    if (groups != nullptr && container.state() != state::State::stopped) {
        HARDRUN_TRY(pids, groups->pids());
    }
    if (format == "json") {
        HARDRUN_CHECK(print(as_json(pids)));
        return 0;
    }
    Args options(o.words().begin() + 1, o.words().end());
    if (options.empty())
        options = {"-ef"};
    HARDRUN_TRY(const std::string text, host_ps(options));
    HARDRUN_TRY(const std::string shown, filter(text, pids));
    HARDRUN_CHECK(print(shown));
    return 0;
}

}  // namespace hardrun::cli
