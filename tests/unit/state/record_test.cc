// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/record.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace hardrun::state {
namespace {

std::string kept_file() {
    std::ifstream in(HARDRUN_TEST_DATA "/state/record-v1.json");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// A container that this file describes may run while hardrun is replaced by a newer one: the file
// is never changed, and must be read for as long as version 1 is.
TEST(Record, the_kept_file_of_version_1_reads) {
    const auto record = parse_record(kept_file());
    ASSERT_TRUE(record) << record.error().what();
    EXPECT_EQ(record->id, "c1");
    EXPECT_EQ(record->bundle, "/var/lib/bundles/c1");
    EXPECT_EQ(record->owner_uid, 1000U);
    EXPECT_EQ(record->annotations.at("io.example/key"), "a \"value\"");
    EXPECT_EQ(record->profile, "strict");
    EXPECT_TRUE(record->complete);
    EXPECT_EQ(record->init.pid, 4711);
    EXPECT_EQ(record->init.start_time, UINT64_MAX);
    EXPECT_EQ(record->root.mount_id, uint64_t{INT64_MAX});
    EXPECT_EQ(record->cgroup_folders.at("memory"), "/sys/fs/cgroup/memory/c1");
    EXPECT_EQ(record->systemd_unit, "docker-c1.scope");
    EXPECT_EQ(record->cell.inode, 4026532252U);
    EXPECT_EQ(record->cell_fd, 9);
}

TEST(Record, written_and_read_again_it_is_the_same) {
    const auto record = parse_record(kept_file());
    ASSERT_TRUE(record);
    EXPECT_EQ(to_json(*record), to_json(*parse_record(to_json(*record))));
    EXPECT_TRUE(parse_record(to_json(Record{})));
}

TEST(Record, a_newer_version_says_what_to_do) {
    std::string text = kept_file();
    text.replace(text.find("\"version\":1"), 11, "\"version\":99");
    const auto record = parse_record(text);
    ASSERT_FALSE(record);
    EXPECT_EQ(record.error().kind(), Errc::unsupported);
    EXPECT_NE(record.error().what().find("use the newer one"), std::string::npos);
}

TEST(Record, what_a_crash_or_a_hand_left_is_an_error_that_names_it) {
    EXPECT_FALSE(parse_record(""));
    EXPECT_FALSE(parse_record("[]"));
    EXPECT_FALSE(parse_record(kept_file().substr(0, 200)));
    for (const auto& [from, to, name] :
         {std::tuple{"\"pid\":4711", "\"pid\":99999999999", "pid"},
          std::tuple{"\"complete\":true", "\"complete\":1", "complete"},
          std::tuple{"\"profile\":", "\"x\":", "profile"},
          std::tuple{"\"ownerUid\":1000", "\"ownerUid\":-1", "ownerUid"}}) {
        std::string text = kept_file();
        text.replace(text.find(from), std::string(from).size(), to);
        const auto record = parse_record(text);
        ASSERT_FALSE(record) << to;
        EXPECT_NE(record.error().what().find(name), std::string::npos) << record.error().what();
    }
}

}  // namespace
}  // namespace hardrun::state
