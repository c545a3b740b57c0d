// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/detect.h"

#include <gtest/gtest.h>

namespace hardrun::cgroup {
namespace {

constexpr const char* kV1 =
    "25 30 0:22 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755\n"
    "26 25 0:23 / /sys/fs/cgroup/systemd rw shared:5 - cgroup cgroup rw,xattr,name=systemd\n"
    "27 25 0:24 / /sys/fs/cgroup/cpu,cpuacct rw shared:6 - cgroup cgroup rw,cpu,cpuacct\n"
    "28 25 0:25 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "29 25 0:26 / /sys/fs/cgroup/elogind rw - cgroup cgroup rw,name=elogind\n"
    "40 30 0:25 /docker/abc /mnt/with\\040space rw - cgroup cgroup rw,memory\n";

constexpr const char* kHybridExtra =
    "31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n";

constexpr const char* kV2 =
    "23 20 0:21 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
    "24 20 0:5 / /home/cgroup rw - ext4 /dev/cgroup rw\n";

Location located(const std::string& mounts, const std::string& own, const std::string& path) {
    Request request;
    request.id = "c1";
    request.cgroups_path = path;
    const auto out = locate(parse_mountinfo(mounts), parse_own_groups(own), request);
    EXPECT_TRUE(out) << (out ? "" : out.error().what());
    return out ? *out : Location{};
}

TEST(Detect, v1_with_controllers_mounted_together) {
    const Host host = parse_mountinfo(kV1);
    EXPECT_FALSE(host.unified());
    EXPECT_FALSE(host.v2);
    ASSERT_EQ(host.v1.size(), 4U);
    EXPECT_EQ(host.v1[1].controllers, (std::vector<std::string>{"cpu", "cpuacct"}));
    EXPECT_EQ(host.v1[2].mount_point, "/sys/fs/cgroup/memory");  // not its second mount
}

TEST(Detect, hybrid_has_both_and_counts_as_v1) {
    const Host host = parse_mountinfo(std::string(kV1) + kHybridExtra);
    EXPECT_FALSE(host.unified());
    ASSERT_TRUE(host.v2);
    EXPECT_EQ(host.v2->mount_point, "/sys/fs/cgroup/unified");
}

TEST(Detect, v2_alone) {
    const Host host = parse_mountinfo(kV2);
    EXPECT_TRUE(host.unified());
    ASSERT_TRUE(host.v2);
    EXPECT_EQ(host.v2->mount_point, "/sys/fs/cgroup");
}

TEST(Detect, escaped_mount_points) {
    const Host host = parse_mountinfo("40 30 0:25 / /mnt/a\\040b rw - cgroup cgroup rw,memory\n");
    ASSERT_EQ(host.v1.size(), 1U);
    EXPECT_EQ(host.v1[0].mount_point, "/mnt/a b");
}

TEST(Detect, own_groups_of_all_kinds) {
    const OwnGroups own = parse_own_groups("4:cpu,cpuacct:/a\n3:name=systemd:/b:c\n0::/d\n");
    EXPECT_EQ(own.at("cpu"), "/a");
    EXPECT_EQ(own.at("cpuacct"), "/a");
    EXPECT_EQ(own.at("name=systemd"), "/b:c");
    EXPECT_EQ(own.at(""), "/d");
}

TEST(Detect, absolute_path_counts_from_each_mount) {
    const auto folders = located(std::string(kV1) + kHybridExtra, "", "/docker/x").folders;
    EXPECT_EQ(folders.at("memory"), "/sys/fs/cgroup/memory/docker/x");
    EXPECT_EQ(folders.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct/docker/x");
    EXPECT_EQ(folders.at("cpuacct"), folders.at("cpu"));
    EXPECT_EQ(folders.at("name=systemd"), "/sys/fs/cgroup/systemd/docker/x");
    EXPECT_EQ(folders.at(""), "/sys/fs/cgroup/unified/docker/x");
    EXPECT_FALSE(folders.contains("name=elogind"));  // somebody else's
}

TEST(Detect, relative_and_empty_paths_count_from_the_own_group_on_v1) {
    const char* own = "4:memory:/user\n3:cpu,cpuacct:/\n";
    EXPECT_EQ(located(kV1, own, "a/b").folders.at("memory"), "/sys/fs/cgroup/memory/user/a/b");
    EXPECT_EQ(located(kV1, own, "").folders.at("memory"), "/sys/fs/cgroup/memory/user/c1");
    EXPECT_EQ(located(kV1, own, "").folders.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct/c1");
}

TEST(Detect, relative_path_counts_from_the_own_groups_parent_on_v2) {
    EXPECT_EQ(located(kV2, "0::/user.slice/s.scope\n", "").folders.at(""),
              "/sys/fs/cgroup/user.slice/c1");
    EXPECT_EQ(located(kV2, "0::/\n", "x").folders.at(""), "/sys/fs/cgroup/x");
    EXPECT_EQ(located(kV2, "0::/a\n", "x").folders.at(""), "/sys/fs/cgroup/x");
}

TEST(Detect, nested_host_sees_only_a_part_of_the_hierarchy) {
    const char* mounts =
        "28 25 0:25 /docker/o /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
    EXPECT_EQ(located(mounts, "4:memory:/docker/o/in\n", "").folders.at("memory"),
              "/sys/fs/cgroup/memory/in/c1");
    EXPECT_EQ(located(mounts, "4:memory:/docker/o\n", "").folders.at("memory"),
              "/sys/fs/cgroup/memory/c1");
    EXPECT_EQ(located(mounts, "4:memory:/docker/other\n", "").folders.at("memory"),
              "/sys/fs/cgroup/memory/c1");
}

TEST(Detect, refused_paths) {
    for (const char* path : {"/a/../../x", "..", "a/..", "/", "//", ".", "/./", "/a\nb"}) {
        Request request;
        request.id = "c1";
        request.cgroups_path = path;
        const auto out = locate(parse_mountinfo(kV2), {}, request);
        ASSERT_FALSE(out) << path;
        EXPECT_EQ(out.error().kind(), Errc::bad_config) << path;
        EXPECT_NE(out.error().what().find("linux.cgroupsPath"), std::string::npos);
    }
}

TEST(Detect, a_host_without_cgroups) {
    Request request;
    request.id = "c1";
    const auto out = locate(parse_mountinfo("22 1 0:20 / /proc rw - proc proc rw\n"), {}, request);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().kind(), Errc::unsupported);
}

}  // namespace
}  // namespace hardrun::cgroup
