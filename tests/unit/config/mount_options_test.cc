// SPDX-License-Identifier: Apache-2.0
#include "config/mount_options.h"

#include <linux/mount.h>
#include <sys/mount.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace hardrun::config {
namespace {

using Names = std::vector<std::string>;

MountOptions parsed(const Names& names) {
    auto options = parse_mount_options(names);
    EXPECT_TRUE(options) << options.error().what();
    return options ? *std::move(options) : MountOptions{};
}

TEST(MountOptions, attributes_of_one_mount) {
    const MountOptions o = parsed({"ro", "nosuid", "nodev", "noexec", "nosymfollow", "nodiratime"});
    EXPECT_EQ(o.attr_set,
              uint64_t{MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                       MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSYMFOLLOW | MOUNT_ATTR_NODIRATIME});
    EXPECT_EQ(o.attr_clear, 0U);
    EXPECT_EQ(o.rec_set, 0U);
    EXPECT_TRUE(o.fs_options.empty());
    EXPECT_FALSE(o.bind);
}

TEST(MountOptions, the_last_word_wins) {
    EXPECT_EQ(parsed({"ro", "rw"}).attr_set, 0U);
    EXPECT_EQ(parsed({"ro", "rw"}).attr_clear, uint64_t{MOUNT_ATTR_RDONLY});
    EXPECT_EQ(parsed({"suid", "nosuid"}).attr_set, uint64_t{MOUNT_ATTR_NOSUID});
    EXPECT_EQ(parsed({"suid", "nosuid"}).attr_clear, 0U);
    EXPECT_EQ(parsed({"rro", "rrw"}).rec_clear, uint64_t{MOUNT_ATTR_RDONLY});
}

TEST(MountOptions, tree_attributes_are_apart) {
    const MountOptions o = parsed({"rbind", "rro", "rnosuid", "rdev", "rexec", "rnosymfollow"});
    EXPECT_TRUE(o.bind && o.bind_recursive);
    EXPECT_EQ(o.attr_set, 0U);
    EXPECT_EQ(o.rec_set, uint64_t{MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOSYMFOLLOW});
    EXPECT_EQ(o.rec_clear, uint64_t{MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC});
}

struct Atime {
    Names names;
    uint64_t set;
    bool chosen;
};

TEST(MountOptions, atime_is_a_choice_and_not_bits) {
    const Atime cases[] = {
        {{"relatime"}, MOUNT_ATTR_RELATIME, true},
        {{"noatime"}, MOUNT_ATTR_NOATIME, true},
        {{"strictatime"}, MOUNT_ATTR_STRICTATIME, true},
        {{"noatime", "strictatime"}, MOUNT_ATTR_STRICTATIME, true},
        {{"strictatime", "noatime"}, MOUNT_ATTR_NOATIME, true},
        {{"noatime", "relatime"}, MOUNT_ATTR_RELATIME, true},
        {{"noatime", "atime"}, MOUNT_ATTR_RELATIME, true},
        {{"strictatime", "atime"}, MOUNT_ATTR_STRICTATIME, true},
        {{"strictatime", "nostrictatime"}, MOUNT_ATTR_RELATIME, true},
        {{"noatime", "nostrictatime"}, MOUNT_ATTR_NOATIME, true},
        {{"atime"}, MOUNT_ATTR_RELATIME, true},
        {{"norelatime"}, 0, false},
        {{}, 0, false},
    };
    for (const Atime& c : cases) {
        const MountOptions o = parsed(c.names);
        EXPECT_EQ(o.attr_set, c.set);
        EXPECT_EQ(o.attr_clear, c.chosen ? uint64_t{MOUNT_ATTR__ATIME} : 0U);
        Names tree;
        for (const std::string& name : c.names)
            tree.push_back("r" + name);
        const MountOptions t = parsed(tree);
        EXPECT_EQ(t.rec_set, c.set);
        EXPECT_EQ(t.rec_clear, o.attr_clear);
        EXPECT_EQ(t.attr_set | t.attr_clear, 0U);
    }
}

TEST(MountOptions, propagation_keeps_its_order) {
    const MountOptions o = parsed({"rslave", "shared", "runbindable", "private"});
    EXPECT_EQ(o.propagation, (std::vector<uint64_t>{MS_SLAVE | MS_REC, MS_SHARED,
                                                    MS_UNBINDABLE | MS_REC, MS_PRIVATE}));
}

TEST(MountOptions, superblock_flags_take_the_names_of_fsconfig) {
    EXPECT_EQ(parsed({"sync", "dirsync", "mand", "lazytime"}).fs_options,
              (Names{"sync", "dirsync", "mand", "lazytime"}));
    EXPECT_TRUE(
        parsed({"sync", "async", "mand", "nomand", "lazytime", "nolazytime"}).fs_options.empty());
    EXPECT_TRUE(
        parsed({"silent", "loud", "iversion", "noiversion", "defaults", ""}).fs_options.empty());
}

TEST(MountOptions, the_rest_is_for_the_file_system) {
    const MountOptions o = parsed({"mode=755", "nosuchopt=1", "size=64k", "tmpcopyup", "RO"});
    EXPECT_EQ(o.fs_options, (Names{"mode=755", "nosuchopt=1", "size=64k", "RO"}));
    EXPECT_TRUE(o.copy_up);
    EXPECT_EQ(o.attr_set, 0U);
}

TEST(MountOptions, refusals) {
    using namespace std::string_literals;
    EXPECT_EQ(parse_mount_options(Names{"ro,suid"}).error().kind(), Errc::bad_config);
    EXPECT_EQ(parse_mount_options(Names{"ro\0x"s}).error().kind(), Errc::bad_config);
    for (const char* name : {"idmap", "ridmap", "remount"})
        EXPECT_EQ(parse_mount_options(Names{name}).error().kind(), Errc::unsupported) << name;
}

TEST(MountOptions, known_names_all_parse_and_are_the_specifications) {
    const auto known = known_mount_options();
    EXPECT_TRUE(std::ranges::is_sorted(known));
    for (const std::string_view name : known) {
        const MountOptions o = parsed({std::string(name)});
        const bool super =
            name == "sync" || name == "dirsync" || name == "mand" || name == "lazytime";
        EXPECT_EQ(o.fs_options.empty(), !super) << name;
    }
    for (const char* name :
         {"async",        "atime",       "bind",        "defaults",       "dev",
          "diratime",     "dirsync",     "exec",        "iversion",       "lazytime",
          "loud",         "noatime",     "nodev",       "nodiratime",     "noexec",
          "noiversion",   "nolazytime",  "norelatime",  "nostrictatime",  "nosuid",
          "nosymfollow",  "private",     "ratime",      "rbind",          "rdev",
          "rdiratime",    "relatime",    "rexec",       "rnoatime",       "rnodev",
          "rnodiratime",  "rnoexec",     "rnorelatime", "rnostrictatime", "rnosuid",
          "rnosymfollow", "ro",          "rprivate",    "rrelatime",      "rro",
          "rrw",          "rshared",     "rslave",      "rstrictatime",   "rsuid",
          "rsymfollow",   "runbindable", "rw",          "shared",         "silent",
          "slave",        "strictatime", "suid",        "symfollow",      "sync",
          "tmpcopyup",    "unbindable"})
        EXPECT_NE(std::ranges::find(known, std::string_view(name)), known.end()) << name;
}

}  // namespace
}  // namespace hardrun::config
