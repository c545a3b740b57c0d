// SPDX-License-Identifier: Apache-2.0
// The command line: global options, then a command that gets the rest.
#include <sys/auxv.h>
#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "runtime/base/log.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/cli/version.h"

namespace hardrun::cli {
namespace {

Options make_global_options() {
    Options o("Global options");
    o.add_text(
         "root",
         "folder of the containers' state (default /run/hardrun, or $XDG_RUNTIME_DIR/hardrun)")
        .add_text("log", "file for messages (default: standard error)")
        .add_text("log-format", "text or json")
        .add_flag("debug", "more messages")
        .add_flag("systemd-cgroup", "let systemd make the cgroup: cgroupsPath is slice:prefix:name")
        .add_text("rootless", "true, false or auto")
        .add_text("criu", "ignored: criu is found in $PATH")
        .add_text("profile", "strict, net, guarded or compat")
        .add_text("policy", "not supported yet")
        .add_flag("version,v", "print the version")
        .add_flag("help,h", "print this text");
    return o;
}

std::string usage(const Options& global) {
    std::string out =
        "hardrun: an OCI container runtime for code that nobody has read\n\n"
        "Usage: hardrun [GLOBAL OPTIONS] COMMAND [OPTIONS] [WORDS]\n\nCommands:\n";
    for (const Command& c : commands()) {
        std::string name = "  " + std::string(c.name);
        name.resize(std::max<size_t>(name.size() + 1, 14), ' ');
        out += name + std::string(c.summary) + "\n";
    }
    return out + "\n" + global.help();
}

std::string default_root() {
    const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
    if (::geteuid() != 0 && runtime != nullptr && *runtime != '\0')
        return std::string(runtime) + "/hardrun";
    return "/run/hardrun";
}

Result<config::Profile> profile_of(const Options& o, const char* argv0) {
    if (o.is_set("profile"))
        return config::parse_profile(o.text("profile")).context("--profile");
    return config::profile_of_program(argv0);
}

Status open_log(const Options& o) {
    const std::string format = o.text("log-format", "text");
    if (format != "text" && format != "json")
        return Error(Errc::bad_config,
                     "--log-format: expected text or json, got \"" + format + "\"");
    return log::open({.path = o.text("log"),
                      .format = format == "json" ? log::Format::json : log::Format::text,
                      .debug = o.flag("debug")});
}

// Before anything of ours is opened.
uint32_t count_inherited() {
    int fd = 3;
    while (fd < 3 + 1024 && ::fcntl(fd, F_GETFD) >= 0)
        ++fd;
    return static_cast<uint32_t>(fd - 3);
}

// Standard descriptors that are closed would be taken by the next file opened, and written to.
void fill_standard_descriptors() {
    for (int fd = 0; fd <= 2; ++fd)
        if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd)
            ::abort();
}

// Memory that every command touches, in two calls rather than in thirty page faults, which are a
// tenth of a container's start. It is only advice: kernels before 5.14 refuse it.
void populate_memory() {
    constexpr uintptr_t kHeap = 128 << 10;
    constexpr uintptr_t kStack = 24 << 10;
    constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
    const auto below = [](const void* end, uintptr_t size) {
        const uintptr_t first = (reinterpret_cast<uintptr_t>(end) - size) & ~uintptr_t{4095};
        (void)::madvise(reinterpret_cast<void*>(first), size, kPopulateWrite);
    };
    below(::sbrk(0), kHeap);
    below(__builtin_frame_address(0), kStack);
}

int fail(const Error& error, int status) {
    log::fatal(error.what());
    return status;
}

int run_command(const Command& command, const Global& global, const Args& args) {
    auto result = command.run(global, args);
    if (!result && result.error().kind() == Errc::help_wanted)
        return print(result.error().what()) ? 0 : 1;
    return result ? *result : fail(result.error(), command.failure);
}

int main_with(int argc, char** argv) {
    const uint32_t inherited = count_inherited();
    Options o = make_global_options();
    if (Status parsed = o.parse({argv + 1, argv + argc}); !parsed)
        return fail(parsed.error(), 1);
    if (o.flag("version"))
        return print(version_text()) ? 0 : 1;
    Args words = o.words();
    const bool help = !words.empty() && words.front() == "help";
    if (o.flag("help") || words.empty() || (help && words.size() == 1))
        return print(usage(o)) ? 0 : 1;
    if (help)
        words = {words[1], "--help"};
    if (Status opened = open_log(o); !opened)
        return fail(opened.error(), 1);
    auto profile = profile_of(o, argv[0]);
    if (!profile)
        return fail(profile.error(), 1);
    if (o.is_set("policy"))
        return fail(Error(Errc::unsupported, "--policy: not supported by this version of hardrun"),
                    1);
    const std::string name = words.front();
    const auto command = std::ranges::find(commands(), name, &Command::name);
    if (command == commands().end())
        return fail(
            Error(Errc::bad_config, "unknown command \"" + name + "\"; `hardrun help` lists them"),
            1);
    const std::string standard_root = default_root();
    const Global global{.store = state::Store(o.text("root", standard_root)),
                        .profile = *profile,
                        .systemd_cgroup = o.flag("systemd-cgroup"),
                        .rootless = o.text("rootless", "auto") == "true",
                        .cache_folder = standard_root + "/.seccomp",
                        .inherited_fds = inherited};
    return run_command(*command, global, {words.begin() + 1, words.end()});
}

}  // namespace
}  // namespace hardrun::cli

int main(int argc, char** argv) {
    // A set-uid copy would hand its rights to whoever calls it (CVE-2016-8659).
    if (::getauxval(AT_SECURE) != 0) {
        hardrun::log::fatal("must not be installed set-uid");
        return 1;
    }
    hardrun::cli::populate_memory();
    hardrun::cli::fill_standard_descriptors();
    try {
        return hardrun::cli::main_with(argc, argv);
    } catch (const std::exception& e) {  // out of memory, or a broken invariant
        hardrun::log::fatal(e.what());
        return 1;
    }
}
