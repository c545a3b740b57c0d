// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/seccomp_cache.h"

#include <sys/stat.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/seccomp_program.h"

namespace hardrun::plan {
namespace {

namespace fs = std::filesystem;

class SeccompCache : public ::testing::Test {
  protected:
    SeccompCache() {
        std::string pattern = fs::temp_directory_path() / "hardrun-cache-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        seccomp_ = profile("mkdir", 33);
        file_ = folder_ / seccomp_cache_name(seccomp_cache_key(seccomp_));
    }
    ~SeccompCache() override { fs::remove_all(folder_); }

    static config::Seccomp profile(const std::string& name, int number) {
        return *test::seccomp_of(R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":[")" +
                                 name + R"("],"action":"SCMP_ACT_ERRNO","errnoRet":)" +
                                 std::to_string(number) + "}]}");
    }

    std::string bytes() const {
        std::ifstream in(file_, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    void overwrite(const std::string& text) const {
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << text;
    }
    SeccompProgram cached() const { return *compile_seccomp_cached(seccomp_, folder_); }
    bool right() const { return cached() == *compile_seccomp(seccomp_); }

    fs::path folder_;
    fs::path file_;
    config::Seccomp seccomp_;
};

TEST_F(SeccompCache, keeps_a_private_file_and_uses_it) {
    EXPECT_TRUE(right());
    struct stat st {};
    ASSERT_EQ(::stat(file_.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0600U);
    const ino_t first = st.st_ino;
    EXPECT_TRUE(right());
    ASSERT_EQ(::stat(file_.c_str(), &st), 0);
    EXPECT_EQ(st.st_ino, first);  // was not written again
}

TEST_F(SeccompCache, every_changed_byte_is_noticed) {
    ASSERT_TRUE(right());
    const std::string good = bytes();
    for (size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        overwrite(bad);
        ASSERT_TRUE(right()) << "byte " << i;
        ASSERT_EQ(bytes(), good) << "byte " << i << ": was not replaced";
    }
}

TEST_F(SeccompCache, short_and_long_files_are_replaced) {
    ASSERT_TRUE(right());
    const std::string good = bytes();
    for (const std::string& bad :
         {std::string(), good.substr(0, 10), good.substr(0, good.size() - 8), good + "12345678"}) {
        overwrite(bad);
        EXPECT_TRUE(right());
        EXPECT_EQ(bytes(), good);
    }
}

TEST_F(SeccompCache, another_profiles_entry_under_our_name_is_not_taken) {
    const config::Seccomp other = profile("rmdir", 34);
    ASSERT_TRUE(compile_seccomp_cached(other, folder_));
    fs::rename(folder_ / seccomp_cache_name(seccomp_cache_key(other)), file_);
    EXPECT_TRUE(right());
}

TEST_F(SeccompCache, links_modes_and_kinds_are_looked_at) {
    ASSERT_TRUE(right());
    const std::string good = bytes();
    fs::rename(file_, folder_ / "elsewhere");
    fs::create_symlink(folder_ / "elsewhere", file_);
    EXPECT_TRUE(right());
    EXPECT_FALSE(fs::is_symlink(file_));

    ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
    EXPECT_TRUE(right());
    struct stat st {};
    ASSERT_EQ(::stat(file_.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0600U);

    fs::create_hard_link(file_, folder_ / "second");
    EXPECT_TRUE(right());
    EXPECT_EQ(fs::hard_link_count(file_), 1U);

    fs::remove(file_);
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    EXPECT_TRUE(right());
    fs::remove(file_);
    fs::create_directory(file_);
    EXPECT_TRUE(right());  // cannot be replaced, and is no error
}

TEST_F(SeccompCache, another_owners_file_is_not_taken) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "needs root";
    ASSERT_TRUE(right());
    ASSERT_EQ(::chown(file_.c_str(), 65534, 65534), 0);
    EXPECT_TRUE(right());
    struct stat st {};
    ASSERT_EQ(::stat(file_.c_str(), &st), 0);
    EXPECT_EQ(st.st_uid, 0U);
}

TEST_F(SeccompCache, a_folder_that_others_may_write_is_not_used) {
    ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
    EXPECT_TRUE(right());
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SeccompCache, an_unusable_folder_is_no_error) {
    EXPECT_TRUE(compile_seccomp_cached(seccomp_, ""));
    EXPECT_TRUE(compile_seccomp_cached(seccomp_, "/nonexistent/folder"));
    EXPECT_TRUE(compile_seccomp_cached(seccomp_, "/dev/null"));
    EXPECT_TRUE(compile_seccomp_cached(seccomp_, (folder_ / "new").string()));
    EXPECT_FALSE(fs::is_empty(folder_ / "new"));
}

TEST_F(SeccompCache, does_not_grow_without_end) {
    for (int i = 1; i < 200; ++i)
        ASSERT_TRUE(compile_seccomp_cached(profile("mkdir", i), folder_));
    const auto count = std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    EXPECT_LE(count, 128);
}

TEST_F(SeccompCache, the_key_tells_every_difference) {
    const auto key = [](std::string_view object) {
        return seccomp_cache_key(*test::seccomp_of(object));
    };
    const std::string base =
        R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_ERRNO","args":[{"index":0,"value":1,"op":"SCMP_CMP_EQ"}]}]})";
    const std::pair<const char*, const char*> changes[] = {
        {R"("SCMP_ACT_ALLOW")", R"("SCMP_ACT_LOG")"},
        {R"(["a"])", R"(["a","b"])"},
        {R"("SCMP_ACT_ERRNO")", R"("SCMP_ACT_TRAP")"},
        {R"("SCMP_ACT_ERRNO")", R"("SCMP_ACT_ERRNO","errnoRet":1)"},
        {R"("index":0)", R"("index":1)"},
        {R"("value":1)", R"("value":2)"},
        {R"("value":1)", R"("value":1,"valueTwo":1)"},
        {"SCMP_CMP_EQ", "SCMP_CMP_NE"},
        {R"({"defaultAction")", R"({"flags":["SECCOMP_FILTER_FLAG_LOG"],"defaultAction")"},
        {R"({"defaultAction")", R"({"architectures":["SCMP_ARCH_X86"],"defaultAction")"},
    };
    for (const auto& [from, to] : changes) {
        std::string changed = base;
        changed.replace(changed.find(from), std::string_view(from).size(), to);
        EXPECT_NE(key(base), key(changed)) << to;
    }
}

}  // namespace
}  // namespace hardrun::plan
