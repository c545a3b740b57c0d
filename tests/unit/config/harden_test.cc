// SPDX-License-Identifier: Apache-2.0
#include "config/harden.h"

#include <linux/capability.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "config/baseline.h"
#include "config/names.h"

namespace hardrun::config {
namespace {

constexpr KernelFacts kFacts{.bounding = (uint64_t{1} << 41) - 1,
                             .known_caps = (uint64_t{1} << 41) - 1};

CapList list_of(uint64_t caps) {
    CapList out;
    for (uint8_t cap = 0; cap < 64; ++cap)
        if ((caps >> cap & 1) != 0)
            out.push_back(cap);
    return out;
}

uint64_t docker() {
    return cap_baselines().back().caps;
}

Spec spec_with(const CapList& caps) {
    Spec spec;
    spec.process.emplace().capabilities = Capabilities{caps, caps, {}, caps, {}};
    for (const NamespaceType type : {NamespaceType::pid, NamespaceType::network, NamespaceType::ipc,
                                     NamespaceType::uts, NamespaceType::mount})
        spec.linux.namespaces.push_back({type, ""});
    return spec;
}

uint64_t everything(const HardenedSpec& hardened) {
    const Capabilities& c = *hardened.spec().process->capabilities;
    return cap_mask(c.bounding) | cap_mask(c.effective) | cap_mask(c.inheritable) |
           cap_mask(c.permitted) | cap_mask(c.ambient);
}

// What a profile gives of a list; nothing where it refuses.
std::optional<uint64_t> given(const CapList& caps, Profile profile) {
    const auto hardened = harden(spec_with(caps), profile, kFacts, {});
    return hardened ? std::optional<uint64_t>(everything(*hardened)) : std::nullopt;
}

TEST(Baseline, a_whole_baseline_was_asked_for_by_nobody) {
    for (const CapBaseline& b : cap_baselines()) {
        const CapVerdict verdict = judge_caps(list_of(b.caps));
        EXPECT_EQ(verdict.wished, 0U) << b.engine;
        EXPECT_EQ(verdict.unasked, b.caps) << b.engine;
        EXPECT_EQ(verdict.beyond, 0U) << b.engine;
        EXPECT_EQ(verdict.engine, b.engine);
        EXPECT_EQ(given(list_of(b.caps), Profile::strict), 0U) << b.engine;
    }
}

TEST(Baseline, order_does_not_matter) {
    CapList caps = list_of(docker());
    std::ranges::reverse(caps);
    EXPECT_EQ(judge_caps(caps).wished, 0U);
}

TEST(Baseline, a_duplicate_is_a_wish_for_that_one) {
    CapList caps = list_of(docker());
    caps.push_back(CAP_CHOWN);
    EXPECT_EQ(judge_caps(caps).wished, uint64_t{1} << CAP_CHOWN);
    EXPECT_EQ(given(caps, Profile::strict), uint64_t{1} << CAP_CHOWN);
}

TEST(Baseline, a_few_after_drop_all_are_wishes) {
    EXPECT_EQ(given({CAP_CHOWN}, Profile::strict), uint64_t{1} << CAP_CHOWN);
    EXPECT_EQ(given({}, Profile::strict), 0U);
}

TEST(Baseline, every_capability_is_in_exactly_one_answer) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const uint64_t caps = random() & random() & kFacts.known_caps;
        const CapVerdict v = judge_caps(list_of(caps));
        EXPECT_EQ(v.wished | v.unasked | v.beyond, caps);
        EXPECT_EQ(v.wished & v.unasked, 0U);
        EXPECT_EQ((v.wished | v.unasked) & v.beyond, 0U);
    }
}

// hardening.md, section 3.
TEST(Harden, strict_never_gives_what_is_not_listed_and_nothing_above_the_threshold) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 5000; ++i) {
        const uint64_t caps = random() & docker() & (i % 2 == 0 ? random() : ~uint64_t{0});
        for (const Profile profile : {Profile::strict, Profile::net}) {
            const auto got = given(list_of(caps), profile);
            ASSERT_TRUE(got);
            EXPECT_EQ(*got & ~caps, 0U);
            if (std::popcount(caps) * 2 > std::popcount(docker())) {
                EXPECT_EQ(*got, 0U) << std::popcount(caps);
            }
        }
    }
}

TEST(Harden, strict_refuses_more_than_any_engine_gives_by_itself) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 500; ++i) {
        const uint64_t caps = random() & kFacts.known_caps;
        EXPECT_EQ(given(list_of(caps), Profile::strict).has_value(), (caps & ~docker()) == 0);
    }
    const auto refused = harden(spec_with({CAP_SYS_ADMIN}), Profile::strict, kFacts, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), Errc::policy_denied);
    for (const char* part : {"process.capabilities.bounding", "CAP_SYS_ADMIN", "hardrun-guarded"})
        EXPECT_NE(refused.error().what().find(part), std::string::npos) << refused.error().what();
}

TEST(Harden, one_hidden_in_another_set_is_refused_too) {
    Spec spec = spec_with({CAP_CHOWN});
    spec.process->capabilities->ambient = {CAP_SYS_ADMIN};
    EXPECT_FALSE(harden(std::move(spec), Profile::strict, kFacts, {}));
}

TEST(Harden, guarded_takes_six_and_keeps_wishes) {
    const auto got = given(list_of(docker()), Profile::guarded);
    ASSERT_TRUE(got);
    EXPECT_EQ(std::popcount(docker() & ~*got), 6);
    CapList with_raw = list_of(docker());
    with_raw.push_back(CAP_NET_RAW);
    EXPECT_NE(*given(with_raw, Profile::guarded) >> CAP_NET_RAW & 1, 0U);
    EXPECT_NE(*given({CAP_SYS_ADMIN}, Profile::guarded), 0U) << "beyond: as given, logged";
}

TEST(Harden, compat_changes_nothing) {
    const CapList caps = list_of(kFacts.known_caps);
    const auto hardened = harden(spec_with(caps), Profile::compat, kFacts, {});
    ASSERT_TRUE(hardened);
    EXPECT_EQ(hardened->spec().process->capabilities->bounding, caps);
    EXPECT_FALSE(hardened->spec().process->no_new_privileges);
    EXPECT_FALSE(hardened->spec().root.readonly);
    EXPECT_TRUE(hardened->spec().mounts.empty());
    EXPECT_EQ(hardened->network(), NetworkPlace::engine);
    EXPECT_TRUE(hardened->findings().empty());
}

TEST(Harden, strict_closes_root_network_and_privileges) {
    const auto hardened = harden(spec_with({}), Profile::strict, kFacts, {});
    ASSERT_TRUE(hardened);
    EXPECT_TRUE(hardened->spec().process->no_new_privileges);
    EXPECT_TRUE(hardened->spec().root.readonly);
    EXPECT_EQ(hardened->network(), NetworkPlace::cell);
    EXPECT_EQ(harden(spec_with({}), Profile::net, kFacts, {})->network(), NetworkPlace::engine);
    EXPECT_EQ(hardened->spec().mounts.size(), 3U) << "/tmp, /var/tmp, /run";
    EXPECT_EQ(hardened->spec().process->env, std::vector<std::string>{"TMPDIR=/tmp"});
}

TEST(Harden, scratch_stays_out_where_something_is_mounted_and_below_half_of_the_memory) {
    Spec spec = spec_with({});
    spec.mounts.push_back(
        {.destination = "/tmp", .type = "bind", .source = "/data", .options = {}});
    spec.linux.resources.memory.emplace().limit = int64_t{64} << 20;
    const auto hardened = harden(std::move(spec), Profile::strict, kFacts, {});
    ASSERT_TRUE(hardened);
    uint64_t bytes = 0;
    for (const Mount& m : hardened->spec().mounts)
        for (const std::string& option : m.options.fs_options)
            if (option.starts_with("size="))
                bytes += std::stoull(option.substr(5));
    EXPECT_EQ(hardened->spec().mounts.size(), 3U);
    EXPECT_GT(bytes, 0U);
    EXPECT_LE(bytes, uint64_t{32} << 20);
}

TEST(Harden, a_namespace_of_the_host_is_refused_by_name) {
    for (const char* name : {"pid", "network", "ipc", "uts", "mount"}) {
        Spec spec = spec_with({});
        std::erase_if(spec.linux.namespaces, [&](const Namespace& ns) {
            return namespace_name(ns.type) == std::string_view(name);
        });
        for (const Profile profile : {Profile::strict, Profile::net}) {
            const auto refused = harden(spec, profile, kFacts, {});
            ASSERT_FALSE(refused) << name;
            EXPECT_EQ(refused.error().kind(), Errc::policy_denied);
            EXPECT_NE(refused.error().what().find(name), std::string::npos);
        }
        EXPECT_TRUE(harden(spec, Profile::guarded, kFacts, {})) << name;
        EXPECT_TRUE(harden(spec, Profile::compat, kFacts, {})) << name;
    }
}

TEST(HardenExec, gets_at_most_what_the_container_has) {
    const auto container = harden(spec_with({CAP_CHOWN}), Profile::strict, kFacts, {});
    ASSERT_TRUE(container);
    Process process;
    const CapList all = list_of(docker());
    process.capabilities = Capabilities{all, all, {}, all, {}};
    const auto hardened = harden_exec(process, *container, kFacts);
    ASSERT_TRUE(hardened) << hardened.error().what();
    EXPECT_EQ(hardened->capabilities->bounding, CapList{CAP_CHOWN});
    EXPECT_TRUE(hardened->no_new_privileges);

    process.capabilities->bounding.push_back(CAP_SYS_ADMIN);
    const auto refused = harden_exec(process, *container, kFacts);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), Errc::policy_denied);
}

// A capability beyond the baseline may stand in any of the five sets.
TEST(HardenExec, one_hidden_in_another_set_does_not_get_through) {
    const auto container = harden(spec_with({CAP_CHOWN}), Profile::strict, kFacts, {});
    ASSERT_TRUE(container);
    Process process;
    process.capabilities = Capabilities{{}, {}, {}, {}, {CAP_SYS_ADMIN}};
    const auto hardened = harden_exec(process, *container, kFacts);
    if (hardened) {
        EXPECT_TRUE(hardened->capabilities->ambient.empty());
    }
}

}  // namespace
}  // namespace hardrun::config
