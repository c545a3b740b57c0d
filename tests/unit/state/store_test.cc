// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/store.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace hardrun::state {
namespace {

namespace fs = std::filesystem;

TEST(ContainerId, rule_of_C15) {
    for (const std::string& id :
         {std::string("a"), std::string("_a"), std::string("A.b-c"), std::string("a+b"),
          std::string("-a"), std::string("a..b"), std::string(200, 'x'), std::string(255, 'x')})
        EXPECT_TRUE(check_id(id)) << id;
    for (const std::string& id :
         {std::string(), std::string("."), std::string(".."), std::string("a/b"),
          std::string("a b"), std::string("\xC3\xA9"), std::string("a:b"), std::string("a@b"),
          std::string("a=b"), std::string("a,b"), std::string(".a"), std::string("a\nb"),
          std::string("a\0b", 3), std::string(256, 'x'), std::string(1025, 'x')})
        EXPECT_FALSE(check_id(id)) << id;
}

class StoreTest : public testing::Test {
  protected:
    test::TempDir dir_;
    Store store_{dir_.path() + "/new/root"};
};

TEST_F(StoreTest, a_bad_id_makes_nothing) {
    EXPECT_FALSE(store_.create("../x"));
    EXPECT_FALSE(fs::exists(store_.root()));
    EXPECT_FALSE(fs::exists(dir_.path() + "/new/x"));
}

TEST_F(StoreTest, folder_is_for_its_owner_only_and_the_id_is_taken) {
    const auto entry = store_.create("c1");
    ASSERT_TRUE(entry) << entry.error().what();
    struct stat st {};
    ASSERT_EQ(::stat(entry->path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0700U);
    const auto again = store_.create("c1");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind(), Errc::already_exists);
    EXPECT_EQ(again.error().what(), "container with given ID already exists");
}

TEST_F(StoreTest, record_and_config_come_back) {
    const auto entry = store_.create("c1");
    ASSERT_TRUE(entry);
    Record record;
    record.id = "c1";
    record.annotations = {{"k", "v"}};
    ASSERT_TRUE(entry->write(record));
    ASSERT_TRUE(entry->write_config("{}"));
    const auto opened = store_.open("c1");
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->read()->annotations, record.annotations);
    EXPECT_EQ(*opened->read_config(), "{}");
    EXPECT_FALSE(opened->gate_closed());
}

TEST_F(StoreTest, none_there_and_gone_have_runcs_words) {
    ASSERT_FALSE(store_.open("c1"));
    EXPECT_EQ(store_.open("c1").error().what(), "container does not exist");
    ASSERT_TRUE(store_.ids());
    EXPECT_TRUE(store_.ids()->empty()) << "no root is no error";

    const auto entry = store_.create("c1");
    ASSERT_TRUE(entry);
    ASSERT_TRUE(entry->write_config("{}"));
    ASSERT_TRUE(entry->remove());
    EXPECT_TRUE(entry->remove()) << "twice is fine";
    const auto lock = entry->lock();
    ASSERT_FALSE(lock) << "whoever waited for the lock finds it deleted";
}

TEST_F(StoreTest, ids_are_sorted_and_folders_only) {
    for (const char* id : {"b", "a", "c"})
        ASSERT_TRUE(store_.create(id));
    std::ofstream(store_.root() + "/file") << "x";
    fs::create_directory(store_.root() + "/.seccomp");
    EXPECT_EQ(*store_.ids(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(StoreTest, a_link_in_place_of_the_folder_is_not_followed) {
    ASSERT_TRUE(store_.create("c1"));
    fs::create_directory_symlink(store_.root() + "/c1", store_.root() + "/c2");
    EXPECT_FALSE(store_.open("c2"));
}

}  // namespace
}  // namespace hardrun::state
