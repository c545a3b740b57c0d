// SPDX-License-Identifier: Apache-2.0
#include "config/mount_options.h"

#include <linux/mount.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>

namespace hardrun::config {
namespace {

// What a row does. A new kind of option is a new enumerator, and -Wswitch then finds the one place
// that must learn it.
enum class Effect {
    none,       // said for completeness, changes nothing
    set,        // MOUNT_ATTR_* on
    clear,      // MOUNT_ATTR_* off
    atime,      // choose the value inside MOUNT_ATTR__ATIME
    not_atime,  // leave that choice, for the kernel's default
    propagate,  // MS_*
    bind,
    super,      // fsconfig's own name for a superblock flag
    not_super,  // takes that back; `word` is the positive name
    copy_up,
    refuse,  // known, and not done by this version
};

enum class Reach { mount, tree };

struct Row {
    std::string_view name;
    Effect effect;
    uint64_t value = 0;
    Reach reach = Reach::mount;
    std::string_view word = {};
};

// Sorted by name; the static_asserts below keep it sorted and free of doubles.
//
// iversion, loud and silent were flags of mount(2) that the file system context API has no word
// for: they steer log lines and a counter of some disk file systems, and are dropped.
constexpr auto kRows = std::to_array<Row>({
    {"async", Effect::not_super, 0, Reach::mount, "sync"},
    {"atime", Effect::not_atime, MOUNT_ATTR_NOATIME},
    {"bind", Effect::bind},
    {"defaults", Effect::none},
    {"dev", Effect::clear, MOUNT_ATTR_NODEV},
    {"diratime", Effect::clear, MOUNT_ATTR_NODIRATIME},
    {"dirsync", Effect::super, 0, Reach::mount, "dirsync"},
    {"exec", Effect::clear, MOUNT_ATTR_NOEXEC},
    {"idmap", Effect::refuse},
    {"iversion", Effect::none},
    {"lazytime", Effect::super, 0, Reach::mount, "lazytime"},
    {"loud", Effect::none},
    {"mand", Effect::super, 0, Reach::mount, "mand"},
    {"noatime", Effect::atime, MOUNT_ATTR_NOATIME},
    {"nodev", Effect::set, MOUNT_ATTR_NODEV},
    {"nodiratime", Effect::set, MOUNT_ATTR_NODIRATIME},
    {"noexec", Effect::set, MOUNT_ATTR_NOEXEC},
    {"noiversion", Effect::none},
    {"nolazytime", Effect::not_super, 0, Reach::mount, "lazytime"},
    {"nomand", Effect::not_super, 0, Reach::mount, "mand"},
    {"norelatime", Effect::none},
    {"nostrictatime", Effect::not_atime, MOUNT_ATTR_STRICTATIME},
    {"nosuid", Effect::set, MOUNT_ATTR_NOSUID},
    {"nosymfollow", Effect::set, MOUNT_ATTR_NOSYMFOLLOW},
    {"private", Effect::propagate, MS_PRIVATE},
    {"ratime", Effect::not_atime, MOUNT_ATTR_NOATIME, Reach::tree},
    {"rbind", Effect::bind, 0, Reach::tree},
    {"rdev", Effect::clear, MOUNT_ATTR_NODEV, Reach::tree},
    {"rdiratime", Effect::clear, MOUNT_ATTR_NODIRATIME, Reach::tree},
    {"relatime", Effect::atime, MOUNT_ATTR_RELATIME},
    {"remount", Effect::refuse},
    {"rexec", Effect::clear, MOUNT_ATTR_NOEXEC, Reach::tree},
    {"ridmap", Effect::refuse},
    {"rnoatime", Effect::atime, MOUNT_ATTR_NOATIME, Reach::tree},
    {"rnodev", Effect::set, MOUNT_ATTR_NODEV, Reach::tree},
    {"rnodiratime", Effect::set, MOUNT_ATTR_NODIRATIME, Reach::tree},
    {"rnoexec", Effect::set, MOUNT_ATTR_NOEXEC, Reach::tree},
    {"rnorelatime", Effect::none},
    {"rnostrictatime", Effect::not_atime, MOUNT_ATTR_STRICTATIME, Reach::tree},
    {"rnosuid", Effect::set, MOUNT_ATTR_NOSUID, Reach::tree},
    {"rnosymfollow", Effect::set, MOUNT_ATTR_NOSYMFOLLOW, Reach::tree},
    {"ro", Effect::set, MOUNT_ATTR_RDONLY},
    {"rprivate", Effect::propagate, MS_PRIVATE, Reach::tree},
    {"rrelatime", Effect::atime, MOUNT_ATTR_RELATIME, Reach::tree},
    {"rro", Effect::set, MOUNT_ATTR_RDONLY, Reach::tree},
    {"rrw", Effect::clear, MOUNT_ATTR_RDONLY, Reach::tree},
    {"rshared", Effect::propagate, MS_SHARED, Reach::tree},
    {"rslave", Effect::propagate, MS_SLAVE, Reach::tree},
    {"rstrictatime", Effect::atime, MOUNT_ATTR_STRICTATIME, Reach::tree},
    {"rsuid", Effect::clear, MOUNT_ATTR_NOSUID, Reach::tree},
    {"rsymfollow", Effect::clear, MOUNT_ATTR_NOSYMFOLLOW, Reach::tree},
    {"runbindable", Effect::propagate, MS_UNBINDABLE, Reach::tree},
    {"rw", Effect::clear, MOUNT_ATTR_RDONLY},
    {"shared", Effect::propagate, MS_SHARED},
    {"silent", Effect::none},
    {"slave", Effect::propagate, MS_SLAVE},
    {"strictatime", Effect::atime, MOUNT_ATTR_STRICTATIME},
    {"suid", Effect::clear, MOUNT_ATTR_NOSUID},
    {"symfollow", Effect::clear, MOUNT_ATTR_NOSYMFOLLOW},
    {"sync", Effect::super, 0, Reach::mount, "sync"},
    {"tmpcopyup", Effect::copy_up},
    {"unbindable", Effect::propagate, MS_UNBINDABLE},
});

static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));
static_assert(std::ranges::adjacent_find(kRows, {}, &Row::name) == kRows.end());

const Row* find_row(std::string_view name) {
    const auto it = std::ranges::lower_bound(kRows, name, {}, &Row::name);
    return it != kRows.end() && it->name == name ? &*it : nullptr;
}

// The last word on a bit wins, as with mount(8): "ro,rw" is read-write.
void turn(uint64_t bits, uint64_t& on, uint64_t& off) {
    on |= bits;
    off &= ~bits;
}

// mount_setattr(2) wants the whole field in the clear mask, and the new value in the set mask.
void choose_atime(uint64_t value, uint64_t& set, uint64_t& clear) {
    clear |= MOUNT_ATTR__ATIME;
    set = (set & ~uint64_t{MOUNT_ATTR__ATIME}) | value;
}

// "atime" takes back "noatime" and nothing else: a "strictatime" said before it stays.
void drop_atime(uint64_t value, uint64_t& set, uint64_t& clear) {
    const bool chosen = (clear & MOUNT_ATTR__ATIME) != 0;
    if (!chosen || (set & MOUNT_ATTR__ATIME) == value)
        choose_atime(MOUNT_ATTR_RELATIME, set, clear);
}

void apply_attr(const Row& row, uint64_t& set, uint64_t& clear) {
    if (row.effect == Effect::set)
        turn(row.value, set, clear);
    else if (row.effect == Effect::clear)
        turn(row.value, clear, set);
    else if (row.effect == Effect::atime)
        choose_atime(row.value, set, clear);
    else
        drop_atime(row.value, set, clear);
}

void apply_super(const Row& row, std::vector<std::string>& options) {
    std::erase(options, row.word);
    if (row.effect == Effect::super)
        options.emplace_back(row.word);
}

Status apply(const Row& row, MountOptions& out) {
    const bool tree = row.reach == Reach::tree;
    switch (row.effect) {
        case Effect::none:
            break;
        case Effect::set:
        case Effect::clear:
        case Effect::atime:
        case Effect::not_atime:
            apply_attr(row, tree ? out.rec_set : out.attr_set,
                       tree ? out.rec_clear : out.attr_clear);
            break;
        case Effect::propagate:
            out.propagation.push_back(row.value | (tree ? uint64_t{MS_REC} : 0));
            break;
        case Effect::bind:
            out.bind = true;
            out.bind_recursive = out.bind_recursive || tree;
            break;
        case Effect::super:
        case Effect::not_super:
            apply_super(row, out.fs_options);
            break;
        case Effect::copy_up:
            out.copy_up = true;
            break;
        case Effect::refuse:
            return Error(Errc::unsupported, "mount option '" + std::string(row.name) +
                                                "' is not supported by this version of hardrun");
    }
    return {};
}

}  // namespace

Result<MountOptions> parse_mount_options(std::span<const std::string> options) {
    MountOptions out;
    for (const std::string& option : options) {
        if (option.find(',') != std::string::npos || option.find('\0') != std::string::npos)
            return Error(Errc::bad_config, "mount option '" + option.substr(0, 100) +
                                               "' holds a comma or NUL: one option per entry");
        const Row* row = find_row(option);
        if (row != nullptr)
            HARDRUN_CHECK(apply(*row, out));
        else if (!option.empty())
            out.fs_options.push_back(option);
    }
    return out;
}

std::vector<std::string_view> known_mount_options() {
    std::vector<std::string_view> names;
    for (const Row& row : kRows)
        if (row.effect != Effect::refuse)
            names.push_back(row.name);
    return names;
}

}  // namespace hardrun::config
