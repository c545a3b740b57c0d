// SPDX-License-Identifier: Apache-2.0
#include <linux/mount.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/config_doc.h"

namespace hardrun::config {
namespace {

TEST(ReadSpec, the_small_document_reads) {
    EXPECT_EQ(error_of(Doc{}.text()), "");
    EXPECT_EQ(error_of(R"({"ociVersion":"1.0.0","root":{"path":"r"}})"), "");  // X2: no process
}

TEST(ReadSpec, top_level) {
    const Bad table[] = {
        {R"({})", "ociVersion: is required and missing"},
        {R"({"ociVersion":"1.0.0"})", "root: is required and missing"},
        {R"({"ociVersion":"1.0.0","root":null})", "root: is required and missing"},
        {R"({"ociVersion":"1.0.0","root":{}})", "root.path: is required and missing"},
        {R"({"ociVersion":"1.0.0","root":{"path":""}})", "root.path: must not be empty"},
        {R"({"ociVersion":"1.0.0","root":[]})", "root: expected an object, got an array"},
        {R"({"ociVersion":1,"root":{"path":"r"}})", "ociVersion: expected a string, got 1"},
        {R"({"ociVersion":"2.0.0","root":{"path":"r"}})", "ociVersion: expected a version 1.x.y"},
        {R"({"ociVersion":"0.5.0-dev","root":{"path":"r"}})", "ociVersion: expected a version"},
        {R"({"ociVersion":"1","root":{"path":"r"}})", "ociVersion: expected a version"},
        {R"({"ociVersion":"","root":{"path":"r"}})", "ociVersion: expected a version"},
        {R"({"ociVersion":"1.0.x","root":{"path":"r"}})", "ociVersion: expected a version"},
        {R"({"ociVersion":"1.0.0","root":{"path":"r","readonly":"yes"}})",
         R"(root.readonly: expected true or false, got "yes")"},
        {R"({"ociVersion":"1.0.0","root":{"path":"r"},"mounts":{}})", "mounts: expected an array"},
        {R"({"ociVersion":"1.0.0","root":{"path":"r"},"hostname":"h"})",
         "hostname: needs a uts namespace"},
        {R"({"ociVersion":"1.0.0","root":{"path":"r"},"annotations":{"a.b":1}})",
         R"(annotations["a.b"]: expected a string, got 1)"},
        {R"({"ociVersion":"1.0.0","root":{"path":"r"},"annotations":{"":"x"}})",
         "annotations: a key is empty"},
    };
    for (const Bad& bad : table)
        expect_starts(error_of(bad.members), bad);
}

TEST(ReadSpec, X4_newer_minor_versions_are_noted) {
    Notes notes;
    ASSERT_TRUE(read_spec(R"({"ociVersion":"1.9.0-rc.1+x","root":{"path":"r"}})", notes));
    ASSERT_EQ(notes.warnings.size(), 1U);
    EXPECT_EQ(notes.warnings[0].rfind("ociVersion: 1.9.0", 0), 0U);
}

TEST(ReadSpec, C06_C07_process) {
    const Bad table[] = {
        {R"("args":["sh"])", "process.cwd: is required and missing"},
        {R"("cwd":"tmp","args":["sh"])", R"(process.cwd: expected an absolute path, got "tmp")"},
        {R"("cwd":"","args":["sh"])", "process.cwd: expected an absolute path"},
        {R"("cwd":"/")", "process.args: is required and missing"},
        {R"("cwd":"/","Args":["sh"])", "process.args: is required and missing"},
        {R"("cwd":"/","args":[])", "process.args: names no program"},
        {R"("cwd":"/","args":[""])", "process.args: names no program"},
        {R"("cwd":"/","args":["sh",1])", "process.args[1]: expected a string, got 1"},
        {R"("cwd":"/","args":"sh")", R"(process.args: expected an array, got "sh")"},
        {R"("cwd":"/","args":["a\u0000b"])", "process.args[0]: a string with a NUL"},
        {R"("cwd":"/","args":["sh"],"env":["A"])", "process.env[0]: expected NAME=value"},
        {R"("cwd":"/","args":["sh"],"env":["A=1","=x"])", "process.env[1]: expected NAME=value"},
        {R"("cwd":"/","args":["sh"],"user":{"gid":0})", "process.user.uid: is required"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":-1,"gid":0})",
         "process.user.uid: expected a num"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":"0","gid":0})",
         R"(process.user.uid: expected an integer, got "0")"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":4294967295,"gid":0})",
         "process.user.uid: expected a number from 0 to 4294967294"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":4294967296,"gid":0})",
         "process.user.uid: expected"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":0,"gid":4294967295})",
         "process.user.gid: expected"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":0,"gid":0,"additionalGids":[5,4294967295]})",
         "process.user.additionalGids[1]: expected"},
        {R"("cwd":"/","args":["sh"],"user":{"uid":0,"gid":0,"umask":512})",
         "process.user.umask: expected"},
        {R"("cwd":"/","args":["sh"],"oomScoreAdj":100.5)",
         "process.oomScoreAdj: expected an integer, got 100.5"},
        {R"("cwd":"/","args":["sh"],"oomScoreAdj":100.0)",
         "process.oomScoreAdj: expected an integer, got 100.0"},
        {R"("cwd":"/","args":["sh"],"oomScoreAdj":1e2)",
         "process.oomScoreAdj: expected an integer, got 1e2"},
        {R"("cwd":"/","args":["sh"],"oomScoreAdj":1001)",
         "process.oomScoreAdj: expected a number from -1000 to 1000, got 1001"},
        {R"("cwd":"/","args":["sh"],"terminal":1)", "process.terminal: expected true or false"},
        {R"("cwd":"/","args":["sh"],"consoleSize":{"height":1})", "process.consoleSize.width: is"},
        {R"("cwd":"/","args":["sh"],"consoleSize":{"height":1,"width":70000})",
         "process.consoleSize.width: expected"},
        {R"("cwd":"/","args":["sh"],"rlimits":[{"type":"RLIMIT_NOFILE","soft":1024,"hard":512}])",
         "process.rlimits[0]: the soft limit is above"},
        {R"("cwd":"/","args":["sh"],"rlimits":[{"type":"RLIMIT_FOO","soft":1,"hard":1}])",
         R"(process.rlimits[0].type: expected the name of a resource limit, got "RLIMIT_FOO")"},
        {R"("cwd":"/","args":["sh"],"rlimits":[{"type":"RLIMIT_NOFILE","soft":512,"hard":1024},
            {"type":"RLIMIT_NOFILE","soft":400,"hard":500}])",
         "process.rlimits[1]: RLIMIT_NOFILE is there twice"},
        {R"("cwd":"/","args":["sh"],"rlimits":[{"type":"RLIMIT_NOFILE","soft":1}])",
         "process.rlimits[0].hard: is required"},
        {R"("cwd":"/","args":["sh"],"rlimits":[{"type":"RLIMIT_CPU","soft":1,"hard":18446744073709551616}])",
         "process.rlimits[0].hard: expected an integer"},
        {R"("cwd":"/","args":["sh"],"capabilities":{"bounding":"all"})",
         "process.capabilities.bounding: expected an array"},
        {R"("cwd":"/","args":["sh"],"scheduler":{"policy":"SCHED_FIFO"})",
         "process.scheduler: not supported"},
        {R"("cwd":"/","args":["sh"],"ioPriority":{"class":"IOPRIO_CLASS_RT"})",
         "process.ioPriority: not supported"},
        {R"("cwd":"/","args":["sh"],"execCPUAffinity":{"initial":"1"})",
         "process.execCPUAffinity: not supported"},
        {R"("cwd":"/","args":["sh"],"cwd":"/x")", "process.cwd: the key is there twice"},
    };
    for (const Bad& bad : table)
        expect_starts(process_error(bad.members), bad);
}

TEST(ReadSpec, process_values_arrive) {
    const auto spec =
        read_text(Doc::with_process(R"({"cwd":"/srv","args":["sh","-c",""],"env":["A=","B==c"],
        "user":{"uid":12345,"gid":54321,"additionalGids":[5,6,5],"umask":63},"terminal":true,
        "consoleSize":{"height":33,"width":77},"oomScoreAdj":-1000,"noNewPrivileges":true,
        "rlimits":[{"type":"RLIMIT_MEMLOCK","soft":18446744073709551615,"hard":18446744073709551615}],
        "apparmorProfile":"","selinuxLabel":"l","capabilities":{"bounding":["CAP_KILL","CAP_NEW"]}})")
                      .text());
    ASSERT_TRUE(spec) << spec.error().what();
    const Process& p = *spec->process;
    EXPECT_EQ(p.user.uid, 12345U);
    EXPECT_EQ(p.user.additional_gids, (std::vector<uint32_t>{5, 6, 5}));
    EXPECT_EQ(p.user.umask, 077U);
    EXPECT_EQ(p.console_size->width, 77U);
    EXPECT_EQ(p.rlimits[0].soft, RLIM_INFINITY);
    EXPECT_EQ(p.rlimits[0].resource, RLIMIT_MEMLOCK);
    EXPECT_FALSE(p.apparmor_profile);
    EXPECT_EQ(p.selinux_label, "l");
    EXPECT_EQ(p.capabilities->bounding, (CapList{5}));
    EXPECT_EQ(p.oom_score_adj, -1000);
}

TEST(ReadSpec, X2_unknown_things_are_noted_and_never_fatal) {
    Notes notes;
    const Doc doc{
        .process =
            R"({"cwd":"/","args":["sh"],"commandLine":"x","capabilities":{"bounding":["CAP_NEW"]}})",
        .linux = R"({"future":{"a":[1,2]}})",
        .more = R"(,"alien":1)"};
    ASSERT_TRUE(read_spec(doc.text(), notes));
    EXPECT_EQ(notes.warnings,
              (std::vector<std::string>{
                  R"(process.capabilities.bounding[0]: unknown capability "CAP_NEW", ignored)",
                  "process.commandLine: unknown, ignored", "linux.future: unknown, ignored",
                  "alien: unknown, ignored"}));
}

TEST(ReadSpec, null_is_absent) {
    EXPECT_EQ(error_of(Doc{.process = "null", .linux = "null", .more = R"(,"mounts":null)"}.text()),
              "");
    EXPECT_EQ(process_error(R"("cwd":"/","args":["sh"],"env":null,"user":null,"rlimits":null)"),
              "");
    EXPECT_EQ(linux_error(R"("netDevices":{},"intelRdt":null,"resources":{"rdma":{}})"), "");
}

TEST(ReadSpec, mounts) {
    const Bad table[] = {
        {R"({"type":"tmpfs"})", "mounts[0].destination: is required"},
        {R"({"destination":"","type":"tmpfs"})", "mounts[0].destination: must not be empty"},
        {R"({"destination":"/a","source":"x"})", "mounts[0]: has no type"},
        {R"({"destination":"/a","options":["bind"]})", "mounts[0]: a bind mount without a source"},
        {R"({"destination":"/a","type":"tmpfs","options":["ro,suid"]})",
         "mounts[0].options: mount option 'ro,suid' holds a comma"},
        {R"({"destination":"/a","type":"tmpfs","options":["idmap"]})", "mounts[0].options: mount"},
        {R"({"destination":"/a","type":"tmpfs","options":"ro"})", "mounts[0].options: expected"},
        {R"({"destination":"/a","type":"tmpfs","uidMappings":[{"containerID":0}]})",
         "mounts[0].uidMappings: not supported"},
        {R"("/a")", R"(mounts[0]: expected an object, got "/a")"},
    };
    for (const Bad& bad : table)
        expect_starts(
            error_of(Doc::with_more(",\"mounts\":[" + std::string(bad.members) + "]").text()), bad);
    const std::string longest =
        R"({"type":"tmpfs","destination":"/)" + std::string(4095, 'x') + "\"}";
    EXPECT_NE(error_of(Doc::with_more(",\"mounts\":[" + longest + "]").text()), "");
}

TEST(ReadSpec, C26_destinations_are_cleaned) {
    Notes notes;
    const auto spec = read_spec(Doc::with_more(R"(,"mounts":[
        {"destination":"rel","type":"tmpfs"},
        {"destination":"/a/../../../b//c/.","type":"tmpfs"},
        {"destination":"/m","type":"none","source":"/s","options":["rbind","rro"]},
        {"destination":"/n","type":"bind","source":"/s"}])")
                                    .text(),
                                notes);
    ASSERT_TRUE(spec) << spec.error().what();
    EXPECT_EQ(spec->mounts[0].destination, "/rel");
    EXPECT_EQ(spec->mounts[1].destination, "/b/c");
    EXPECT_TRUE(spec->mounts[2].options.bind_recursive);
    EXPECT_EQ(spec->mounts[2].options.rec_set, uint64_t{MOUNT_ATTR_RDONLY});
    EXPECT_TRUE(spec->mounts[3].options.bind);
    ASSERT_EQ(notes.warnings.size(), 1U);
    EXPECT_EQ(notes.warnings[0].rfind("mounts[0].destination: ", 0), 0U);
}

TEST(ReadSpec, C33_hooks) {
    const Bad table[] = {
        {R"("prestart":[{"args":["x"]}])", "hooks.prestart[0].path: is required"},
        {R"("poststop":[{"path":"/a"},{"path":"a"}])", "hooks.poststop[1].path: expected an abs"},
        {R"("createRuntime":[{"path":"/a","timeout":0}])",
         "hooks.createRuntime[0].timeout: expect"},
        {R"("createRuntime":[{"path":"/a","timeout":-1}])",
         "hooks.createRuntime[0].timeout: expec"},
        {R"("createContainer":[{"path":"/a","env":["X"]}])",
         "hooks.createContainer[0].env[0]: exp"},
        {R"("startContainer":{"path":"/a"})", "hooks.startContainer: expected an array"},
    };
    for (const Bad& bad : table)
        expect_starts(
            error_of(Doc::with_more(",\"hooks\":{" + std::string(bad.members) + "}").text()), bad);
    const auto spec = read_text(
        Doc::with_more(
            R"(,"hooks":{"poststart":[{"path":"/a"},{"path":"/b","env":[],"timeout":1}]})")
            .text());
    ASSERT_TRUE(spec);
    EXPECT_FALSE(spec->hooks.poststart[0].env);
    EXPECT_TRUE(spec->hooks.poststart[1].env);
}

TEST(ReadSpec, C13_json_edges) {
    using namespace std::string_literals;
    const std::string good = Doc{}.text();
    EXPECT_NE(error_of("\xEF\xBB\xBF" + good), "");
    EXPECT_NE(error_of("// c\n" + good), "");
    EXPECT_NE(error_of(good.substr(0, good.size() - 1) + ",}"), "");
    EXPECT_NE(error_of(good + "x"), "");
    EXPECT_EQ(error_of(good + "\n \t\r\n"), "");
    EXPECT_NE(error_of(Doc::with_more(",\"hostname\":\"\xFF\xFE\"").text()), "");
    EXPECT_NE(error_of(Doc::with_more(",\"hostname\":\"a\0b\""s).text()), "");
    EXPECT_NE(error_of(""), "");
    EXPECT_NE(error_of("[]"), "");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_NE(
        error_of(Doc::with_more(",\"deep\":" + std::string(20000, '[') + std::string(20000, ']'))
                     .text()),
        "");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(ReadSpec, notes_do_not_grow_without_end) {
    std::string more;
    for (int i = 0; i < 5000; ++i)
        more += ",\"x" + std::to_string(i) + "\":0";
    Notes notes;
    ASSERT_TRUE(read_spec(Doc::with_more(more).text(), notes));
    EXPECT_LE(notes.warnings.size(), 100U);
}

TEST(ReadProcess, reads_what_exec_is_given) {
    Notes notes;
    const auto good = read_process(R"({"cwd":"/","args":["id"],"user":{"uid":1,"gid":0}})", notes);
    ASSERT_TRUE(good) << good.error().what();
    EXPECT_EQ(good->user.uid, 1U);
    const auto bad = read_process(R"({"cwd":"x","args":["id"]})", notes);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().what(), R"(process.cwd: expected an absolute path, got "x")");
}

}  // namespace
}  // namespace hardrun::config
