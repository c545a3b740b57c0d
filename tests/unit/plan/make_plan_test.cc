// SPDX-License-Identifier: Apache-2.0
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/plan/plan.h"
#include "tests/support/config_doc.h"

namespace hardrun::plan {
namespace {

using config::Doc;
using config::Profile;

constexpr KernelFacts kFacts{.bounding = (uint64_t{1} << 41) - 1,
                             .known_caps = (uint64_t{1} << 41) - 1};

Result<Plan> plan_of(const Doc& doc, Profile profile = Profile::compat,
                     const KernelFacts& facts = kFacts) {
    HARDRUN_TRY(config::Spec spec, config::read_text(doc.text()));
    HARDRUN_TRY(const config::HardenedSpec hardened,
                config::harden(std::move(spec), profile, facts, {}));
    return make_plan(hardened, facts);
}

Plan good(const Doc& doc, Profile profile = Profile::compat) {
    auto plan = plan_of(doc, profile);
    EXPECT_TRUE(plan) << plan.error().what();
    return *std::move(plan);
}

std::string error(const Doc& doc, Profile profile = Profile::compat,
                  const KernelFacts& facts = kFacts) {
    const auto plan = plan_of(doc, profile, facts);
    return plan ? "" : plan.error().what();
}

Doc with_mount(const std::string& mount) {
    return Doc::with_more(",\"mounts\":[" + mount + "]");
}

Doc with_namespaces(const std::string& more) {
    Doc doc;
    doc.linux = R"({"namespaces":[{"type":"mount"})" + more + "]}";
    return doc;
}

TEST(MakePlan, namespaces) {
    EXPECT_EQ(good({}).namespaces.created,
              uint64_t{CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS});
    EXPECT_EQ(good(with_namespaces(R"(,{"type":"time"})")).namespaces.created,
              uint64_t{CLONE_NEWNS | CLONE_NEWTIME});
    const Plan joined =
        good(with_namespaces(R"(,{"type":"network","path":"/n"},{"type":"user","path":"/u"})"));
    ASSERT_EQ(joined.namespaces.joined.size(), 2U);
    EXPECT_EQ(joined.namespaces.joined[0].type, uint64_t{CLONE_NEWUSER}) << "it owns the others";
    EXPECT_EQ(joined.namespaces.joined[1].json_path, "linux.namespaces[1].path");
    EXPECT_NE(
        error(Doc::with_linux(R"({"namespaces":[{"type":"pid"}]})")).find("no mount namespace"),
        std::string::npos);
}

TEST(MakePlan, a_bind_mount) {
    const Plan plan = good(with_mount(
        R"({"destination":"/a//b/../c","source":"/src","options":["rbind","ro","nosuid"]})"));
    ASSERT_EQ(plan.mounts.size(), 1U);
    const Mount& m = plan.mounts[0];
    EXPECT_EQ(m.kind, MountKind::bind);
    EXPECT_EQ(m.target, "a/c");
    EXPECT_EQ(m.source, "/src");
    EXPECT_TRUE(m.options.bind_recursive);
    EXPECT_EQ(m.options.attr_set, uint64_t{MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID});
    EXPECT_EQ(m.options.propagation, std::vector<uint64_t>{MS_SLAVE | MS_REC})
        << "nothing travels back to the host";
    EXPECT_NE(error(with_mount(R"({"destination":"/a","source":"/s","options":["bind","size=1"]})"))
                  .find("mounts[0].options"),
              std::string::npos);
}

TEST(MakePlan, a_tmpfs_is_filled_before_it_is_readonly) {
    const Plan plan = good(with_mount(
        R"({"destination":"/t","type":"tmpfs","source":"x","options":["ro","size=64k","noswap"]})"));
    const Mount& m = plan.mounts.at(0);
    EXPECT_EQ(m.kind, MountKind::filesystem);
    EXPECT_TRUE(m.late_readonly);
    EXPECT_TRUE(m.keep_mode) << "no mode= given";
    ASSERT_EQ(m.fs_options.size(), 3U);
    EXPECT_EQ(m.fs_options[0].key, "source");
    EXPECT_EQ(m.fs_options[1].value, "64k");
    EXPECT_FALSE(m.fs_options[2].value) << "a flag";
}

// CVE-2019-16884, CVE-2019-19921.
TEST(MakePlan, nothing_but_a_few_files_covers_procfs) {
    EXPECT_TRUE(
        good(with_mount(R"({"destination":"/proc","type":"proc"})")).mounts[0].plain_target);
    const std::string bind = R"(","source":"/x","options":["bind"]})";
    EXPECT_TRUE(good(with_mount(R"({"destination":"/proc/meminfo)" + bind)).mounts[0].below_proc);
    for (const char* target : {"/proc/self/attr", "/proc/sys", "/proc/1/status", "/x/../proc/self"})
        EXPECT_NE(error(with_mount(R"({"destination":")" + std::string(target) + bind))
                      .find("inside /proc"),
                  std::string::npos)
            << target;
    EXPECT_NE(error(with_mount(R"({"destination":"/)" + bind)), "");
}

TEST(MakePlan, errors_count_mounts_as_the_file_does) {
    const std::string doc = R"({"destination":"/d","type":"tmpfs"},
        {"destination":"/proc/self","source":"/x","options":["bind"]})";
    for (const Profile profile : {Profile::compat, Profile::strict})
        EXPECT_TRUE(error(with_mount(doc), profile).starts_with("mounts[1].destination"))
            << error(with_mount(doc), profile);
}

TEST(MakePlan, sysfs_is_made_in_the_cell) {
    const Doc doc = with_mount(R"({"destination":"/sys","type":"sysfs"})");
    const Plan strict = good(doc, Profile::strict);
    const auto sysfs = std::ranges::find(strict.mounts, "sysfs", &Mount::fstype);
    ASSERT_NE(sysfs, strict.mounts.end());
    EXPECT_TRUE(sysfs->in_cell);
    EXPECT_EQ(strict.network, config::NetworkPlace::cell);
    EXPECT_FALSE(good(doc).mounts[0].in_cell);
}

TEST(MakePlan, devices) {
    const Plan plan = good({});
    EXPECT_EQ(plan.devices.size(), 6U);
    EXPECT_EQ(plan.links.size(), 5U) << "no core without a kcore";
    Doc doc;
    doc.linux.insert(doc.linux.size() - 1, R"(,"devices":[
        {"type":"c","path":"/dev/null","major":1,"minor":3,"fileMode":384},
        {"type":"p","path":"/run/fifo"},
        {"type":"b","path":"/dev/sdx","major":8,"minor":0,"uid":5,"gid":6}])");
    const Plan more = good(doc);
    ASSERT_EQ(more.devices.size(), 8U) << "the second /dev/null takes the first one's place";
    EXPECT_EQ(more.devices[0].mode, uint32_t{S_IFCHR | 0600});
    EXPECT_EQ(more.devices[6].mode, uint32_t{S_IFIFO | 0666});
    EXPECT_EQ(more.devices[7].mode, uint32_t{S_IFBLK | 0666});
    EXPECT_EQ(more.devices[7].gid, 6U);
    EXPECT_TRUE(good(with_mount(R"({"destination":"/dev","source":"/dev","options":["rbind"]})"))
                    .devices.empty())
        << "the host's /dev is not written to";
}

TEST(MakePlan, devices_are_bound_in_a_user_namespace) {
    const Doc doc = Doc::with_linux(R"({"namespaces":[{"type":"mount"},{"type":"user"}],
        "uidMappings":[{"containerID":0,"hostID":1000,"size":1}],
        "gidMappings":[{"containerID":0,"hostID":1000,"size":1}],
        "devices":[{"type":"p","path":"/f"}]})");
    const Plan plan = good(doc);
    EXPECT_TRUE(plan.devices.front().bind);
    EXPECT_FALSE(plan.devices.back().bind) << "a fifo may be made by anybody";
}

TEST(MakePlan, propagation) {
    EXPECT_EQ(good({}).host_propagation, uint64_t{MS_SLAVE | MS_REC});
    Doc doc;
    doc.linux.insert(doc.linux.size() - 1, R"(,"rootfsPropagation":"private")");
    EXPECT_EQ(good(doc).host_propagation, uint64_t{MS_PRIVATE | MS_REC});
}

TEST(MakePlan, a_program_is_searched_in_the_containers_path) {
    Doc doc = Doc::with_process(
        R"({"cwd":"/","args":["sh"],"env":["PATH=/wrong","PATH=/a::/b"],"user":{"uid":0,"gid":0}})");
    const Plan plan = good(doc);
    EXPECT_EQ(plan.process->candidates, (std::vector<std::string>{"/a/sh", "./sh", "/b/sh"}));
    EXPECT_TRUE(plan.process->searched);
    EXPECT_TRUE(plan.process->home_missing);
    doc = Doc::with_process(
        R"({"cwd":"/","args":["./x"],"env":["HOME=/h"],"user":{"uid":0,"gid":0}})");
    EXPECT_EQ(good(doc).process->candidates, std::vector<std::string>{"./x"});
    EXPECT_FALSE(good(doc).process->home_missing);
}

TEST(MakePlan, identity_and_labels) {
    const Doc doc = Doc::with_process(
        R"({"cwd":"/","args":["x"],"user":{"uid":5,"gid":6,"additionalGids":[7]},
            "noNewPrivileges":true,"capabilities":{"bounding":["CAP_CHOWN"],
            "permitted":["CAP_CHOWN"],"effective":["CAP_CHOWN"]},"apparmorProfile":"p"})");
    KernelFacts facts = kFacts;
    EXPECT_NE(error(doc, Profile::compat, facts).find("AppArmor is not enabled"),
              std::string::npos);
    facts.apparmor = true;
    const auto plan = plan_of(doc, Profile::compat, facts);
    ASSERT_TRUE(plan) << plan.error().what();
    EXPECT_EQ(plan->process->apparmor_exec, "exec p");
    EXPECT_EQ(plan->process->identity.bounding, uint64_t{1} << CAP_CHOWN);
    EXPECT_EQ(plan->process->identity.inheritable, 0U);
    EXPECT_TRUE(plan->process->identity.no_new_privs);
    EXPECT_EQ(plan->process->identity.user.additional_gids, std::vector<uint32_t>{7});
}

TEST(MakePlan, sysctls) {
    Doc doc;
    doc.linux.insert(doc.linux.size() - 1,
                     R"(,"sysctl":{"net.ipv4.ip_forward":"1","net/ipv4/conf/eth0.1/forwarding":"1",
                                   "kernel.msgmax":"65536"})");
    const Plan plan = good(doc);
    ASSERT_EQ(plan.sysctls.size(), 3U);
    for (const Sysctl& s : plan.sysctls)
        EXPECT_EQ(s.network, s.path.starts_with("net/")) << s.path;
    EXPECT_TRUE(std::ranges::any_of(
        plan.sysctls, [](const Sysctl& s) { return s.path == "net/ipv4/conf/eth0.1/forwarding"; }));
}

}  // namespace
}  // namespace hardrun::plan
