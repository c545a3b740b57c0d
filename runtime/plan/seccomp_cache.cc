// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/seccomp_cache.h"

#include <linux/filter.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <seccomp.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "config/names.h"
#include "runtime/base/fd.h"
#include "runtime/base/file.h"
#include "runtime/base/json_writer.h"

namespace hardrun::plan {
namespace {

// Raise with every change of what compile_seccomp makes of the same profile.
constexpr uint32_t kRevision = 1;

constexpr std::string_view kMagic = "HRSECFLT";

// The file: this, the key text, the instructions. Written and read by the same machine only, so the
// byte order is its own.
struct Header {
    std::array<char, 8> magic{};
    uint32_t revision = 0;
    uint32_t flags = 0;
    uint64_t key_bytes = 0;
    uint64_t instructions = 0;
    uint64_t checksum = 0;  // of the whole file with this field 0
};

uint64_t fnv1a(std::string_view bytes) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : bytes) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    return hash;
}

void put_header(const Header& header, std::string& file) {
    std::memcpy(file.data(), &header, sizeof header);
}

// ---- the key ------------------------------------------------------------------------------------

void write_strings(json::Writer& w, std::string_view key, const std::vector<std::string>& list) {
    w.key(key).begin_array();
    for (const std::string& one : list)
        w.value(one);
    w.end_array();
}

void write_errno(json::Writer& w, const std::optional<uint32_t>& number) {
    w.key("errno");
    if (number)
        w.value(*number);
    else
        w.null();
}

void write_rule(json::Writer& w, const config::SeccompRule& rule) {
    w.begin_object();
    write_strings(w, "names", rule.names);
    w.field("action", config::seccomp_action_name(rule.action));
    write_errno(w, rule.errno_ret);
    w.key("args").begin_array();
    for (const config::SeccompArg& arg : rule.args) {
        w.begin_array().value(arg.index).value(arg.value).value(arg.value_two);
        w.value(config::seccomp_op_name(arg.op)).end_array();
    }
    w.end_array().end_object();
}

// ---- the folder ---------------------------------------------------------------------------------

bool is_ours(const struct stat& st, mode_t type, mode_t mode) {
    return (st.st_mode & S_IFMT) == type && st.st_uid == ::geteuid() &&
           (st.st_mode & 07777) == mode;
}

std::optional<Fd> open_folder(const std::string& folder) {
    if (folder.empty())
        return std::nullopt;
    (void)::mkdir(folder.c_str(), 0700);  // what counts is what is there afterwards
    auto opened = open_at(FdRef::cwd(), folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!opened)
        return std::nullopt;
    struct stat st {};
    if (::fstat(opened->get(), &st) != 0 || !is_ours(st, S_IFDIR, 0700))
        return std::nullopt;
    return *std::move(opened);
}

struct DirClose {
    void operator()(DIR* dir) const { (void)::closedir(dir); }
};

std::vector<std::string> file_names(FdRef folder) {
    Fd copy(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, DirClose> dir(copy.valid() ? ::fdopendir(copy.get()) : nullptr);
    std::vector<std::string> names;
    if (!dir)
        return names;
    (void)copy.release();  // the DIR closes it
    while (const dirent* entry = ::readdir(dir.get()))
        if (entry->d_name[0] != '.')
            names.emplace_back(&entry->d_name[0]);
    return names;
}

// A folder that fills up means that profiles are generated; which of them come back is unknown.
void make_room(FdRef folder) {
    constexpr size_t kMost = 128;
    const std::vector<std::string> names = file_names(folder);
    if (names.size() < kMost)
        return;
    for (const std::string& name : names)
        (void)::unlinkat(folder.get(), name.c_str(), 0);  // a full cache is only slower
}

// ---- entries ------------------------------------------------------------------------------------

std::string to_file(const std::string& key, const SeccompProgram& program) {
    const size_t code_bytes = program.instructions.size() * sizeof(uint64_t);
    std::string file(sizeof(Header) + key.size() + code_bytes, '\0');
    Header header{.magic = {},
                  .revision = kRevision,
                  .flags = program.flags,
                  .key_bytes = key.size(),
                  .instructions = program.instructions.size(),
                  .checksum = 0};
    std::memcpy(header.magic.data(), kMagic.data(), header.magic.size());
    key.copy(file.data() + sizeof header, key.size());
    std::memcpy(file.data() + sizeof header + key.size(), program.instructions.data(), code_bytes);
    put_header(header, file);
    header.checksum = fnv1a(file);
    put_header(header, file);
    return file;
}

std::optional<SeccompProgram> from_file(std::string file, const std::string& key) {
    Header header;
    if (file.size() < sizeof header)
        return std::nullopt;
    std::memcpy(&header, file.data(), sizeof header);
    const bool plausible = std::string_view(header.magic.data(), header.magic.size()) == kMagic &&
                           header.revision == kRevision && header.key_bytes == key.size() &&
                           header.instructions > 0 && header.instructions <= BPF_MAXINSNS;
    if (!plausible ||
        file.size() != sizeof header + key.size() + header.instructions * sizeof(uint64_t))
        return std::nullopt;
    if (std::string_view(file).substr(sizeof header, key.size()) != key)
        return std::nullopt;
    const uint64_t checksum = std::exchange(header.checksum, 0);
    put_header(header, file);
    if (fnv1a(file) != checksum)
        return std::nullopt;
    SeccompProgram program{std::vector<uint64_t>(header.instructions), header.flags};
    std::memcpy(program.instructions.data(), file.data() + sizeof header + key.size(),
                header.instructions * sizeof(uint64_t));
    return program;
}

std::optional<SeccompProgram> load(FdRef folder, const std::string& key) {
    constexpr size_t kMostBytes = 8U << 20;
    const auto file =
        open_at(folder, seccomp_cache_name(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (!file)
        return std::nullopt;
    struct stat st {};
    if (::fstat(file->get(), &st) != 0 || !is_ours(st, S_IFREG, 0600) || st.st_nlink != 1)
        return std::nullopt;
    auto bytes = read_all(*file, "seccomp cache", kMostBytes);
    return bytes ? from_file(*std::move(bytes), key) : std::nullopt;
}

}  // namespace

std::string seccomp_cache_key(const config::Seccomp& seccomp) {
    const scmp_version* version = seccomp_version();
    json::Writer w;
    w.begin_object();
    w.key("libseccomp").begin_array();
    w.value(version->major).value(version->minor).value(version->micro).end_array();
    w.field("machine", seccomp_arch_native());
    w.field("default", config::seccomp_action_name(seccomp.default_action));
    write_errno(w, seccomp.default_errno_ret);
    write_strings(w, "architectures", seccomp.architectures);
    write_strings(w, "flags", seccomp.flags);
    w.key("rules").begin_array();
    for (const config::SeccompRule& rule : seccomp.syscalls)
        write_rule(w, rule);
    w.end_array().end_object();
    return w.take();
}

std::string seccomp_cache_name(std::string_view key) {
    std::array<char, 24> text{};
    (void)std::snprintf(text.data(), text.size(), "%016llx",
                        static_cast<unsigned long long>(fnv1a(key)));
    return text.data();
}

Result<SeccompProgram> compile_seccomp_cached(const config::Seccomp& seccomp,
                                              const std::string& folder) {
    const auto cache = open_folder(folder);
    if (!cache)
        return compile_seccomp(seccomp);
    const std::string key = seccomp_cache_key(seccomp);
    if (auto known = load(*cache, key))
        return *std::move(known);
    HARDRUN_TRY(SeccompProgram program, compile_seccomp(seccomp));
    make_room(*cache);
    // A copy that cannot be kept costs time at the next start, and nothing else.
    (void)replace_file(*cache, seccomp_cache_name(key), to_file(key, program), 0600);
    return program;
}

}  // namespace hardrun::plan
