// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/options.h"

#include <gtest/gtest.h>

namespace hardrun::cli {
namespace {

using Words = std::vector<std::string>;

Options make() {
    Options o("test");
    o.add_text("bundle,b", "").add_flag("force,f", "").add_texts("env,e", "");
    o.add_number("count", "").add_text("cpu-quota", "");
    return o;
}

TEST(Options, forms_of_an_option) {
    for (const Words& args :
         {Words{"--bundle", "/b", "c1"}, Words{"--bundle=/b", "c1"}, Words{"-b", "/b", "c1"},
          Words{"-bundle", "/b", "c1"}, Words{"-bundle=/b", "c1"}}) {
        Options o = make();
        const Status parsed = o.parse(args);
        ASSERT_TRUE(parsed) << args[0] << ": " << parsed.error().what();
        EXPECT_EQ(o.text("bundle"), "/b") << args[0];
        EXPECT_EQ(o.words(), Words{"c1"}) << args[0];
        EXPECT_FALSE(o.flag("force"));
    }
}

TEST(Options, a_flag_takes_no_word) {
    Options o = make();
    ASSERT_TRUE(o.parse({"-f", "c1"}));
    EXPECT_TRUE(o.flag("force"));
    EXPECT_EQ(o.words(), Words{"c1"});
    Options off = make();
    ASSERT_TRUE(off.parse({"--force=false", "c1"}));
    EXPECT_FALSE(off.flag("force"));
}

// runc exec c1 ls --force -b: all of it is the program's.
TEST(Options, words_after_the_first_are_not_ours) {
    Options o = make();
    ASSERT_TRUE(o.parse({"-f", "c1", "ls", "--force", "-b", "--nosuch"}));
    EXPECT_EQ(o.words(), (Words{"c1", "ls", "--force", "-b", "--nosuch"}));
    EXPECT_FALSE(o.is_set("bundle"));
    Options dashes = make();
    ASSERT_TRUE(dashes.parse({"-f", "--", "-x", "--", "y"}));
    EXPECT_EQ(dashes.words(), (Words{"-x", "--", "y"}));
}

TEST(Options, mixed_takes_them_anywhere) {
    Options o = make();
    ASSERT_TRUE(o.parse_mixed({"c1", "--cpu-quota", "-1", "-f", "--bundle=/b"}));
    EXPECT_EQ(o.words(), Words{"c1"});
    EXPECT_EQ(o.text("cpu-quota"), "-1");
    EXPECT_TRUE(o.flag("force"));
    EXPECT_EQ(o.text("bundle"), "/b");
    Options dashes = make();
    ASSERT_TRUE(dashes.parse_mixed({"c1", "--", "-f"}));
    EXPECT_EQ(dashes.words(), (Words{"c1", "-f"}));
}

TEST(Options, repeated_and_numbers) {
    Options o = make();
    ASSERT_TRUE(o.parse({"-e", "A=1", "--env", "B=2 3", "--env=C=", "--count", "3", "c1"}));
    EXPECT_EQ(o.texts("env"), (Words{"A=1", "B=2 3", "C="}));
    EXPECT_EQ(o.number("count"), 3);
    EXPECT_FALSE(make().number("count"));
}

TEST(Options, wrong_ones_are_errors_that_name_them) {
    for (const Words& args : {Words{"--nosuch", "c1"}, Words{"--bun", "/b", "c1"},
                              Words{"--bundle"}, Words{"--count", "x", "c1"}, Words{"-z"},
                              Words{"--force=maybe"}, Words{"--count", "1x"}, Words{"-b"}}) {
        Options o = make();
        const Status parsed = o.parse(args);
        ASSERT_FALSE(parsed) << args[0];
        EXPECT_EQ(parsed.error().kind(), Errc::bad_config);
        const size_t name = args[0].find_first_not_of('-');
        EXPECT_NE(parsed.error().what().find(args[0].substr(name, args[0].find('=') - name)),
                  std::string::npos)
            << parsed.error().what();
    }
}

// Go's flag package: the last one counts.
TEST(Options, the_last_of_two) {
    Options o = make();
    ASSERT_TRUE(o.parse({"--bundle", "/a", "-b=/b", "--force", "-f=F", "c1"}));
    EXPECT_EQ(o.text("bundle"), "/b");
    EXPECT_FALSE(o.flag("force"));
}

TEST(Options, help_is_what_was_asked_for) {
    for (const char* const word : {"--help", "-h", "-help"}) {
        Options o = make();
        const Status parsed = o.parse({word});
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().kind(), Errc::help_wanted) << word;
        EXPECT_NE(parsed.error().what().find("-b, --bundle"), std::string::npos);
    }
    Options program = make();
    ASSERT_TRUE(program.parse({"c1", "--help"}));
    EXPECT_EQ(program.words(), (Words{"c1", "--help"}));
}

}  // namespace
}  // namespace hardrun::cli
