// SPDX-License-Identifier: Apache-2.0
// The device rules three times: as the eBPF program, run by an interpreter of the few instructions
// that it uses; as v1 writes, applied to a model of the kernel's list; and as plain reading of the
// rules, which the other two must agree with.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "runtime/base/text.h"
#include "runtime/cgroup/device_filter.h"
#include "runtime/cgroup/device_rules.h"
#include "runtime/cgroup/translate_systemd.h"

namespace hardrun::cgroup {
namespace {

using config::DeviceRule;
using Rules = std::vector<DeviceRule>;

constexpr unsigned kMknod = 1;
constexpr unsigned kRead = 2;
constexpr unsigned kWrite = 4;

struct Access {
    char type = 'c';
    uint32_t major = 0;
    uint32_t minor = 0;
    unsigned bits = 0;
};

DeviceRule rule(bool allow, char type, std::optional<uint32_t> major, std::optional<uint32_t> minor,
                unsigned bits) {
    return {
        allow, type, major, minor, (bits & kRead) != 0, (bits & kWrite) != 0, (bits & kMknod) != 0};
}

const DeviceRule kDenyAll = rule(false, 'a', {}, {}, 7);
const DeviceRule kAllowAll = rule(true, 'a', {}, {}, 7);

// The meaning: the last rule that matches decides, for each bit by itself.
bool by_the_rules(const Rules& rules, const Access& a) {
    for (const unsigned bit : {kMknod, kRead, kWrite}) {
        if ((a.bits & bit) == 0)
            continue;
        bool allowed = false;
        for (const DeviceRule& r : rules) {
            const unsigned bits =
                (r.read ? kRead : 0) | (r.write ? kWrite : 0) | (r.mknod ? kMknod : 0);
            if ((r.type == 'a' || r.type == a.type) && (!r.major || *r.major == a.major) &&
                (!r.minor || *r.minor == a.minor) && (bits & bit) != 0)
                allowed = r.allow;
        }
        if (!allowed)
            return false;
    }
    return true;
}

struct Machine {
    uint32_t memory[3];
    uint64_t registers[11] = {};

    void alu(const bpf_insn& i) {
        auto& target = registers[i.dst_reg];
        const auto operand = BPF_SRC(i.code) == BPF_X ? static_cast<uint32_t>(registers[i.src_reg])
                                                      : static_cast<uint32_t>(i.imm);
        const auto value = static_cast<uint32_t>(target);
        switch (BPF_OP(i.code)) {
            case BPF_MOV:
                target = operand;
                break;
            case BPF_AND:
                target = value & operand;
                break;
            case BPF_RSH:
                target = value >> operand;
                break;
            default:
                FAIL() << "unknown operation";
        }
    }

    bool jumps(const bpf_insn& i) const {
        const bool equal =
            static_cast<uint32_t>(registers[i.dst_reg]) == static_cast<uint32_t>(i.imm);
        return BPF_OP(i.code) == BPF_JEQ ? equal : !equal;
    }
};

bool by_the_program(const std::vector<bpf_insn>& program, const Access& a) {
    Machine m{{(a.bits << 16) | (a.type == 'b' ? 1U : 2U), a.major, a.minor}};
    for (size_t pc = 0; pc < program.size(); ++pc) {
        const bpf_insn& i = program[pc];
        switch (BPF_CLASS(i.code)) {
            case BPF_LDX:
                m.registers[i.dst_reg] = m.memory[i.off / 4];
                break;
            case BPF_ALU:
                m.alu(i);
                break;
            case BPF_JMP32:
                if (m.jumps(i))
                    pc += static_cast<size_t>(i.off);
                break;
            default:  // exit
                return m.registers[0] != 0;
        }
    }
    ADD_FAILURE() << "the program does not end";
    return false;
}

// kernel: security/device_cgroup.c, as cgroup-v1/devices.rst describes it.
struct Kernel {
    bool allow_by_default = true;
    std::map<std::string, std::set<char>> exceptions;  // "c 1:3" -> rwm

    void write(const std::string& file, const std::string& value) {
        const bool allow = file == "devices.allow";
        if (value == "a") {
            allow_by_default = allow;
            exceptions.clear();
            return;
        }
        const size_t space = value.rfind(' ');
        auto& entry = exceptions[value.substr(0, space)];
        for (const char c : value.substr(space + 1))
            if (allow == allow_by_default)
                entry.erase(c);
            else
                entry.insert(c);
        if (entry.empty())
            exceptions.erase(value.substr(0, space));
    }

    std::vector<std::set<char>> matching(const Access& a) const {
        const std::string major = std::to_string(a.major);
        const std::string minor = std::to_string(a.minor);
        std::vector<std::set<char>> out;
        for (const std::string& device :
             {major + ":" + minor, major + ":*", "*:" + minor, std::string("*:*")}) {
            const auto found = exceptions.find(std::string{a.type, ' '} + device);
            if (found != exceptions.end())
                out.push_back(found->second);
        }
        return out;
    }

    // An allow must have all of the access by itself, a deny need only have some of it.
    bool allows(const Access& a) const {
        for (const std::set<char>& bits : matching(a)) {
            unsigned listed = 0;
            for (const char c : bits)
                listed |= c == 'r' ? kRead : c == 'w' ? kWrite : kMknod;
            if (allow_by_default ? (a.bits & listed) != 0 : (a.bits & ~listed) == 0)
                return !allow_by_default;
        }
        return allow_by_default;
    }

    std::string list() const {
        if (allow_by_default)
            return "a *:* rwm\n";
        std::string out;
        for (const auto& [device, bits] : exceptions)
            out += device + " " + std::string(bits.begin(), bits.end()) + "\n";
        return out;
    }
};

std::vector<Access> all_accesses() {
    std::vector<Access> out;
    for (const char type : {'b', 'c'})
        for (const uint32_t major : {0U, 1U, 2U})
            for (const uint32_t minor : {0U, 1U, 2U})
                for (unsigned bits = 1; bits < 8; ++bits)
                    out.push_back({type, major, minor, bits});
    return out;
}

Rules random_rules(std::mt19937& random) {
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const auto number = [&]() -> std::optional<uint32_t> {
        const unsigned n = below(4);
        return n == 3 ? std::nullopt : std::optional<uint32_t>(n);
    };
    Rules rules;
    for (unsigned n = below(7); n > 0; --n)
        rules.push_back(rule(below(2) == 0, "abc"[below(3)], number(), number(), below(8)));
    return rules;
}

TEST(DeviceFilter, agrees_with_the_rules_whatever_they_are) {
    std::mt19937 random(20240229);
    for (int round = 0; round < 2000; ++round) {
        const Rules rules = random_rules(random);
        const auto program = device_program(rules);
        for (const Access& a : all_accesses())
            ASSERT_EQ(by_the_program(program, a), by_the_rules(rules, a))
                << "round " << round << " " << a.type << a.major << ":" << a.minor << " " << a.bits;
    }
}

TEST(DeviceRules, v1_writes_agree_with_the_rules_or_are_refused) {
    std::mt19937 random(4711);
    int taken = 0;
    for (int round = 0; round < 2000; ++round) {
        const Rules rules = random_rules(random);
        const auto writes = device_writes_v1(rules, "");
        if (!writes) {
            EXPECT_EQ(writes.error().kind(), Errc::unsupported);
            continue;
        }
        ++taken;
        Kernel kernel;
        for (const Write& w : *writes)
            kernel.write(w.file, w.value);
        for (const Access& a : all_accesses()) {
            // The kernel cannot add up exceptions that only cross; it is then stricter.
            const bool single = a.bits == kRead || a.bits == kWrite || a.bits == kMknod;
            const bool right = by_the_rules(rules, a);
            ASSERT_TRUE(kernel.allows(a) == right || (right && !single))
                << "round " << round << " " << a.type << a.major << ":" << a.minor << " " << a.bits;
        }
    }
    EXPECT_GT(taken, 500);
}

TEST(DeviceRules, v1_update_never_denies_what_stays_allowed) {
    std::mt19937 random(99);
    for (int round = 0; round < 500; ++round) {
        Rules from = random_rules(random);
        Rules to = random_rules(random);
        from.insert(from.begin(), kDenyAll);
        to.insert(to.begin(), kDenyAll);
        const auto first = device_writes_v1(from, "");
        if (!first)
            continue;
        Kernel kernel;
        for (const Write& w : *first)
            kernel.write(w.file, w.value);
        const auto second = device_writes_v1(to, kernel.list());
        if (!second)
            continue;
        // A change of the default cannot be without a moment in between.
        const bool same_default = second->empty() || second->front().value != "a";
        for (const Write& w : *second) {
            kernel.write(w.file, w.value);
            if (!same_default)
                continue;
            for (const Access& a : all_accesses()) {
                const bool single = a.bits == kRead || a.bits == kWrite || a.bits == kMknod;
                const bool stays = single && by_the_rules(from, a) && by_the_rules(to, a);
                ASSERT_TRUE(!stays || kernel.allows(a)) << "round " << round;
            }
        }
        for (const Access& a : all_accesses()) {
            const bool single = a.bits == kRead || a.bits == kWrite || a.bits == kMknod;
            ASSERT_TRUE(!single || kernel.allows(a) == by_the_rules(to, a)) << "round " << round;
        }
    }
}

TEST(DeviceRules, C28_defaults_are_usable_under_deny_all) {
    const Rules rules = with_default_devices({kDenyAll});
    for (const uint32_t minor : {3U, 5U, 7U, 8U, 9U})
        EXPECT_TRUE(by_the_rules(rules, {'c', 1, minor, 7}));
    EXPECT_TRUE(by_the_rules(rules, {'c', 5, 0, kRead | kWrite}));
    EXPECT_TRUE(by_the_rules(rules, {'c', 5, 2, kRead | kWrite}));
    EXPECT_TRUE(by_the_rules(rules, {'c', 136, 9, kRead | kWrite}));
    EXPECT_TRUE(by_the_rules(rules, {'b', 8, 0, kMknod}));
    EXPECT_FALSE(by_the_rules(rules, {'b', 8, 0, kRead}));
    EXPECT_FALSE(by_the_rules(rules, {'c', 10, 229, kRead}));  // fuse
    EXPECT_FALSE(by_the_rules(rules, {'c', 1, 1, kRead}));     // mem
    const auto program = device_program(rules);
    EXPECT_TRUE(by_the_program(program, {'c', 1, 3, 7}));
    EXPECT_FALSE(by_the_program(program, {'c', 10, 229, kRead}));
}

TEST(DeviceRules, v1_reading_and_writing_by_two_rules_add_up) {
    const Rules rules = {kDenyAll, rule(true, 'c', 1, {}, kRead), rule(true, 'c', 1, 3, kWrite)};
    const auto writes = device_writes_v1(rules, "");
    ASSERT_TRUE(writes);
    ASSERT_EQ(writes->size(), 3U);
    EXPECT_EQ((*writes)[1].value, "c 1:* r");
    EXPECT_EQ((*writes)[2].value, "c 1:3 rw");
}

TEST(DeviceRules, a_hole_in_a_wider_allow_is_named) {
    const Rules rules = {kDenyAll, rule(true, 'c', {}, {}, 7), rule(false, 'c', 10, 229, 7)};
    const auto writes = device_writes_v1(rules, "");
    ASSERT_FALSE(writes);
    EXPECT_NE(writes.error().what().find("c 10:229 rwm"), std::string::npos);
}

TEST(DeviceProperties, one_entry_a_name_and_never_less_than_the_rules) {
    const auto groups =
        parse_device_groups("Character devices:\n  1 mem\n136 pts\n\nBlock devices:\n  8 sd\n");
    const Rules rules = {kAllowAll,
                         kDenyAll,
                         rule(true, 'c', 1, 3, kRead),
                         rule(true, 'c', 1, 3, kWrite),
                         rule(true, 'c', 136, {}, 7),
                         rule(true, 'b', 8, {}, kRead),
                         rule(true, 'c', {}, 5, kRead),
                         rule(false, 'c', 1, 3, 7)};
    const auto properties = device_properties(rules, groups);
    ASSERT_EQ(properties.size(), 3U);
    EXPECT_EQ(properties[0].values, std::vector<std::string>{"strict"});
    EXPECT_TRUE(properties[1].values.empty());
    EXPECT_EQ(properties[2].values,
              (std::vector<std::string>{"/dev/char/1:3", "rw", "char-pts", "rwm", "block-sd", "r",
                                        "char-*", "r"}));
}

TEST(DeviceProperties, privileged) {
    const auto properties = device_properties(with_default_devices({kAllowAll}), {});
    const auto& values = properties[2].values;
    ASSERT_GE(values.size(), 4U);
    EXPECT_EQ((std::vector<std::string>{values.begin(), values.begin() + 4}),
              (std::vector<std::string>{"char-*", "rwm", "block-*", "rwm"}));
}

}  // namespace
}  // namespace hardrun::cgroup
