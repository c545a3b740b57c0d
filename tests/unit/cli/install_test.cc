// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "runtime/cli/install/difference.h"
#include "runtime/cli/install/engine.h"
#include "runtime/cli/install/toml_outline.h"

namespace hardrun::cli::install {
namespace {

const Runtimes kTwo = {{"hardrun", "/usr/bin/hardrun"}, {"hardrun-net", "/usr/bin/hardrun-net"}};

std::string error(const Result<std::string>& result) {
    return result ? "" : result.error().what();
}

TEST(Install, every_engine_adds_once_and_takes_back_exactly_that) {
    for (const Engine& engine : engines()) {
        const std::string before(engine.fresh);
        const auto added = engine.add(before, kTwo);
        ASSERT_TRUE(added) << engine.name << ": " << added.error().what();
        EXPECT_NE(*added, before) << engine.name;
        EXPECT_NE(added->find("/usr/bin/hardrun-net"), std::string::npos) << engine.name;
        EXPECT_EQ(*engine.add(*added, kTwo), *added) << engine.name << ": twice";
        EXPECT_EQ(*engine.take(*added), before) << engine.name;
        EXPECT_EQ(*engine.take(before), before) << engine.name << ": nothing to take";
    }
}

TEST(Install, a_changed_set_replaces_the_old_one) {
    const Runtimes one = {{"hardrun", "/opt/hardrun"}};
    for (const Engine& engine : engines()) {
        const auto added = engine.add(engine.fresh, kTwo);
        ASSERT_TRUE(added);
        EXPECT_EQ(*engine.add(*added, one), *engine.add(engine.fresh, one)) << engine.name;
    }
}

TEST(InstallDocker, everything_else_stays_in_its_order) {
    const std::string before =
        R"({"z":1,"runtimes":{"kata":{"path":"/k","runtimeArgs":["-x"]}},"a":[1.50,null,true]})";
    const auto added = add_to_docker(before, kTwo);
    ASSERT_TRUE(added) << added.error().what();
    const size_t z = added->find("\"z\"");
    const size_t kata = added->find("\"kata\"");
    const size_t ours = added->find("\"hardrun\"");
    const size_t a = added->find("\"a\"");
    EXPECT_TRUE(z < kata && kata < ours && ours < a) << *added;
    EXPECT_NE(added->find("1.50"), std::string::npos) << "numbers are not rewritten";
    const auto back = take_from_docker(*added);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->find("hardrun"), std::string::npos);
    EXPECT_NE(back->find("\"-x\""), std::string::npos);
}

TEST(InstallDocker, what_it_cannot_do_is_an_error) {
    EXPECT_NE(error(add_to_docker("{\"a\":1", kTwo)), "");
    EXPECT_NE(error(add_to_docker(R"({"runtimes":[]})", kTwo)), "");
    EXPECT_NE(error(add_to_docker(R"({"runtimes":{"hardrun":{"path":"/other"}}})", kTwo))
                  .find("not from hardrun"),
              std::string::npos);
    const std::string standard =
        R"({"default-runtime":"hardrun","runtimes":{"hardrun":{"path":"/usr/bin/hardrun"}}})";
    EXPECT_NE(error(take_from_docker(standard)).find("default-runtime"), std::string::npos);
    EXPECT_TRUE(take_from_docker(R"({"default-runtime":"runc"})"));
    EXPECT_TRUE(add_to_docker("\n", kTwo)) << "an empty file";
}

TEST(InstallContainerd, versions) {
    const auto two = add_to_containerd("version = 2\n", kTwo);
    ASSERT_TRUE(two);
    EXPECT_NE(two->find(R"([plugins."io.containerd.grpc.v1.cri".containerd.runtimes.hardrun])"),
              std::string::npos);
    const auto three = add_to_containerd("version = 3  # new\n", kTwo);
    ASSERT_TRUE(three);
    EXPECT_NE(
        three->find(R"([plugins."io.containerd.cri.v1.runtime".containerd.runtimes.hardrun])"),
        std::string::npos);
    EXPECT_NE(error(add_to_containerd("", kTwo)).find("expected 2 or 3, got none"),
              std::string::npos);
    EXPECT_NE(error(add_to_containerd("[a]\nversion = 2\n", kTwo)), "") << "not at the top";
}

TEST(InstallContainerd, takes_over_the_cgroup_driver_of_runc) {
    const std::string text =
        "version = 2\n"
        "[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc]\n"
        "runtime_type = 'io.containerd.runc.v2'\n"
        "options = { SystemdCgroup = true }\n";
    const auto added = add_to_containerd(text, kTwo);
    ASSERT_TRUE(added) << added.error().what();
    EXPECT_NE(added->find("    SystemdCgroup = true\n"), std::string::npos) << *added;
    EXPECT_EQ(*take_from_containerd(*added), text);
}

TEST(InstallContainerd, an_entry_of_somebody_else_is_left_alone) {
    const std::string table = "plugins.\"io.containerd.grpc.v1.cri\".containerd";
    EXPECT_NE(error(add_to_containerd("version = 2\n[" + table + ".runtimes.hardrun]\n", kTwo)),
              "");
    EXPECT_NE(error(add_to_containerd("version = 2\n[" + table + "]\nruntimes = {}\n", kTwo))
                  .find("written as a value"),
              std::string::npos);
    EXPECT_NE(error(take_from_containerd("version = 2\n[" + table +
                                         "]\ndefault_runtime_name = \"hardrun\"\n")),
              "");
}

TEST(Toml, good_ones) {
    for (const char* text :
         {"", "# only a comment", "a = 1\r\nb = -1.5e3\r\n", "a.b.\"c d\".'e' = \"x\\\"]\"",
          "a = [1, 2,\n # c ]\n [3],\n]\n", "a = { b = 'x', c = { d = [ {} ] } }",
          "a = \"\"\"two\nlines \\\" ]\"\"\"\nb = '''x''y'''", "d = 1979-05-27 07:32:00Z # date",
          "d = 1979-05-27T07:32:00.5-07:00", "[[a]]\nx = true\n[[a]]\nx = false\n", "a = +inf",
          " [ a . b ] # c\n"})
        EXPECT_TRUE(outline_toml(text)) << text << "\n" << outline_toml(text).error().what();
}

TEST(Toml, bad_ones_say_the_line) {
    for (const char* text : {"a", "a =", "a = x", "[a", "[a]]", "a = [1, 2", "a = [1 2]", "a = {",
                             "a = 'x", "a = \"x\n\"", "a = 1 b = 2", "= 1", "[a]\n[a]\n",
                             "a = \"\"\"x", "a = \xff", "a..b = 1", "a = [ # ]"})
        EXPECT_FALSE(outline_toml(text)) << text;
    EXPECT_EQ(outline_toml("a = 1\n\nb = \n").error().what(), "line 3: expected a value");
    std::string deep = "a = ";
    for (int i = 0; i < 100000; ++i)
        deep += "[";
    EXPECT_FALSE(outline_toml(deep));
}

TEST(Difference, shows_what_changes_and_little_around) {
    EXPECT_EQ(difference("f", "a\n", "a\n"), "");
    EXPECT_EQ(difference("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n"),
              "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
    EXPECT_EQ(difference("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
    EXPECT_EQ(difference("f", "a\n", "a\na\n"), "--- f\n+++ f\n@@ -1,1 +1,2 @@\n a\n+a\n");
}

}  // namespace
}  // namespace hardrun::cli::install
