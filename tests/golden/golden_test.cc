// SPDX-License-Identifier: Apache-2.0
// Each captured config.json of a real engine, and what every profile makes of it. A change here is
// a change of what the product promises: look at the difference of the files, then write them anew
// with HARDRUN_GOLDEN_WRITE=1.
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/support/temp_dir.h"

namespace hardrun::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> captured() {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(HARDRUN_TEST_DATA "/captures")) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("process-") && !name.starts_with("update-") &&
            name.ends_with(".json"))
            out.push_back(name);
    }
    std::ranges::sort(out);
    return out;
}

TEST(Golden, what_each_profile_makes_of_the_engines_files) {
    const bool write = std::getenv("HARDRUN_GOLDEN_WRITE") != nullptr;
    const std::vector<std::string> files = captured();
    ASSERT_GE(files.size(), 20U);
    for (const std::string& name : files) {
        const std::string got = outcomes(slurp(HARDRUN_TEST_DATA "/captures/" + name));
        const std::string expected = HARDRUN_GOLDEN "/" + name;
        if (write)
            write_text(expected, got);
        EXPECT_EQ(got, slurp(expected)) << name;
    }
}

TEST(Golden, no_expectation_without_its_file) {
    const std::vector<std::string> files = captured();
    for (const auto& entry : fs::directory_iterator(HARDRUN_GOLDEN))
        EXPECT_TRUE(std::ranges::binary_search(files, entry.path().filename().string()))
            << entry.path();
}

}  // namespace
}  // namespace hardrun::test
