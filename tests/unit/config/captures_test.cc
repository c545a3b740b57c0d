// SPDX-License-Identifier: Apache-2.0
// Every file that real engines wrote is read, and the specification's own examples as they say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/read_spec.h"

namespace hardrun::config {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<fs::path> files(const char* folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(fs::path(HARDRUN_TEST_DATA) / folder))
        if (entry.path().extension() == ".json")
            out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

TEST(Captures, every_config_process_and_update_reads) {
    size_t configs = 0;
    for (const fs::path& path : files("captures")) {
        const std::string name = path.filename();
        const std::string text = slurp(path);
        Notes notes;
        if (name.starts_with("process-")) {
            const auto process = read_process(text, notes);
            EXPECT_TRUE(process) << name << ": " << process.error().what();
        } else if (name.starts_with("update-")) {
            const auto resources = read_resources(text, notes);
            EXPECT_TRUE(resources) << name << ": " << resources.error().what();
        } else {
            const auto spec = read_spec(text, notes);
            EXPECT_TRUE(spec) << name << ": " << spec.error().what();
            ++configs;
        }
        for (const std::string& warning : notes.warnings)
            ADD_FAILURE() << name << ": " << warning;
    }
    EXPECT_GE(configs, 25U);
}

TEST(Captures, docker_default_means_what_docker_said) {
    Notes notes;
    const auto spec =
        read_spec(slurp(fs::path(HARDRUN_TEST_DATA) / "captures/docker-default.json"), notes);
    ASSERT_TRUE(spec) << spec.error().what();
    ASSERT_TRUE(spec->process);
    EXPECT_EQ(spec->process->cwd, "/");
    ASSERT_TRUE(spec->process->capabilities);
    EXPECT_EQ(cap_mask(spec->process->capabilities->bounding), 0xa80425fbU);
    EXPECT_EQ(spec->linux.sysctl.at("net/ipv4/ip_unprivileged_port_start"), "0");
    ASSERT_TRUE(spec->linux.seccomp);
    EXPECT_EQ(spec->linux.seccomp->default_action, SeccompAction::error);
    EXPECT_EQ(spec->linux.seccomp->architectures.size(), 3U);
    EXPECT_FALSE(spec->hooks.prestart.empty());
}

TEST(OciExamples, good_ones_read_or_are_said_to_be_unsupported) {
    for (const fs::path& path : files("oci/examples/config/good")) {
        std::string text = slurp(path);
        // The long example is marked with a version from before 1.0.
        if (const size_t at = text.find("0.5.0-dev"); at != std::string::npos)
            text.replace(at, 9, "1.3.0");
        Notes notes;
        const auto spec = read_spec(text, notes);
        EXPECT_TRUE(spec || spec.error().kind() == Errc::unsupported)
            << path << ": " << spec.error().what();
    }
}

TEST(OciExamples, the_long_example_reads_without_what_is_unsupported) {
    std::string text =
        slurp(fs::path(HARDRUN_TEST_DATA) / "oci/examples/config/good/spec-example.json");
    const auto swap = [&](std::string_view from, std::string_view to) {
        const size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
    };
    swap("0.5.0-dev", "1.3.0");
    swap("\"timeOffsets\"", "\"x-timeOffsets\"");
    Notes notes;
    const auto spec = read_spec(text, notes);
    ASSERT_TRUE(spec) << spec.error().what();
    EXPECT_EQ(spec->linux.seccomp->syscalls.size(), 1U);
    EXPECT_EQ(spec->hooks.poststart[0].timeout_seconds, 5U);
    EXPECT_EQ(spec->linux.resources.block_io->weight_device.size(), 2U);
}

TEST(OciExamples, bad_ones_are_refused) {
    for (const fs::path& path : files("oci/examples/config/bad")) {
        Notes notes;
        EXPECT_FALSE(read_spec(slurp(path), notes)) << path;
    }
}

}  // namespace
}  // namespace hardrun::config
