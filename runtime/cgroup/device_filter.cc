// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/device_filter.h"

#include <sys/syscall.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

namespace hardrun::cgroup {
namespace {

// ---- the program --------------------------------------------------------------------------------

using config::DeviceRule;

constexpr unsigned kAccess = BPF_DEVCG_ACC_MKNOD | BPF_DEVCG_ACC_READ | BPF_DEVCG_ACC_WRITE;

// What the registers hold for the whole program.
constexpr unsigned kResult = BPF_REG_0;
constexpr unsigned kContext = BPF_REG_1;
constexpr unsigned kType = BPF_REG_2;
constexpr unsigned kPending = BPF_REG_3;  // the access that no rule has allowed yet
constexpr unsigned kMajor = BPF_REG_4;
constexpr unsigned kMinor = BPF_REG_5;
constexpr unsigned kScratch = BPF_REG_6;

bpf_insn insn(unsigned code, unsigned dst, unsigned src, int offset, uint32_t immediate) {
    bpf_insn out{};
    out.code = static_cast<uint8_t>(code);
    out.dst_reg = static_cast<uint8_t>(dst & 0xFU);
    out.src_reg = static_cast<uint8_t>(src & 0xFU);
    out.off = static_cast<int16_t>(offset);
    out.imm = static_cast<int32_t>(immediate);
    return out;
}

bpf_insn load(unsigned dst, size_t offset) {
    return insn(BPF_LDX | BPF_MEM | BPF_W, dst, kContext, static_cast<int>(offset), 0);
}

bpf_insn move_register(unsigned dst, unsigned src) {
    return insn(BPF_ALU | BPF_MOV | BPF_X, dst, src, 0, 0);
}

bpf_insn alu(unsigned operation, unsigned dst, uint32_t immediate) {
    return insn(BPF_ALU | operation | BPF_K, dst, 0, 0, immediate);
}

bpf_insn jump_if(unsigned operation, unsigned dst, uint32_t immediate) {
    return insn(BPF_JMP32 | operation | BPF_K, dst, 0, 0, immediate);
}

void append_answer(std::vector<bpf_insn>& out, bool allow) {
    out.push_back(alu(BPF_MOV, kResult, allow ? 1 : 0));
    out.push_back(insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
}

unsigned access_bits(const DeviceRule& rule) {
    return (rule.read ? unsigned{BPF_DEVCG_ACC_READ} : 0U) |
           (rule.write ? unsigned{BPF_DEVCG_ACC_WRITE} : 0U) |
           (rule.mknod ? unsigned{BPF_DEVCG_ACC_MKNOD} : 0U);
}

bool matches_all(const DeviceRule& rule) {
    return rule.type == 'a' && !rule.major && !rule.minor && access_bits(rule) == kAccess;
}

// One rule; every jump in it leads to its end, which is the next rule.
std::vector<bpf_insn> rule_block(const DeviceRule& rule) {
    std::vector<bpf_insn> out;
    const unsigned access = access_bits(rule);
    if (rule.type != 'a')
        out.push_back(
            jump_if(BPF_JNE, kType, rule.type == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR));
    if (rule.major)
        out.push_back(jump_if(BPF_JNE, kMajor, *rule.major));
    if (rule.minor)
        out.push_back(jump_if(BPF_JNE, kMinor, *rule.minor));
    if (rule.allow) {
        out.push_back(alu(BPF_AND, kPending, kAccess & ~access));
        out.push_back(jump_if(BPF_JNE, kPending, 0));
    } else {
        out.push_back(move_register(kScratch, kPending));
        out.push_back(alu(BPF_AND, kScratch, access));
        out.push_back(jump_if(BPF_JEQ, kScratch, 0));
    }
    append_answer(out, rule.allow);
    for (size_t i = 0; i < out.size(); ++i)
        if (BPF_CLASS(out[i].code) == BPF_JMP32)
            out[i].off = static_cast<int16_t>(out.size() - i - 1);
    return out;
}

// ---- the kernel's side --------------------------------------------------------------------------

constexpr std::string_view kName = "hardrun_dev";  // how our own programs are told from others'
constexpr size_t kMostAttached = 64;               // the kernel's limit for one group

long bpf(int command, bpf_attr& attributes) {
    return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

uint64_t address(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
}

Result<Fd> load_program(const std::vector<bpf_insn>& program) {
    bpf_attr attr{};
    attr.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attr.insns = address(program.data());
    attr.insn_cnt = static_cast<uint32_t>(program.size());
    attr.license = address("Apache-2.0");
    std::ranges::copy(kName, std::begin(attr.prog_name));
    Fd fd(static_cast<int>(bpf(BPF_PROG_LOAD, attr)));
    if (!fd.valid())
        return Error::sys("load the device filter (bpf)");
    return fd;
}

struct Attached {
    std::array<uint32_t, kMostAttached> ids{};
    size_t count = 0;
};

Result<Attached> attached_to(FdRef group) {
    Attached found;
    bpf_attr attr{};
    attr.query.target_fd = static_cast<uint32_t>(group.get());
    attr.query.attach_type = BPF_CGROUP_DEVICE;
    attr.query.prog_ids = address(found.ids.data());
    attr.query.prog_cnt = kMostAttached;
    if (bpf(BPF_PROG_QUERY, attr) != 0)
        return Error::sys("query device filters (bpf)");
    found.count = attr.query.prog_cnt;
    return found;
}

// The program behind the id where it is one of ours; else, or gone: an invalid one.
Fd own_program(uint32_t id) {
    bpf_attr attr{};
    attr.prog_id = id;
    Fd fd(static_cast<int>(bpf(BPF_PROG_GET_FD_BY_ID, attr)));
    if (!fd.valid())
        return fd;
    bpf_prog_info info{};
    bpf_attr ask{};
    ask.info.bpf_fd = static_cast<uint32_t>(fd.get());
    ask.info.info_len = sizeof info;
    ask.info.info = address(&info);
    if (bpf(BPF_OBJ_GET_INFO_BY_FD, ask) != 0 || kName != info.name)
        return Fd();
    return fd;
}

Status attach(FdRef group, FdRef program) {
    bpf_attr attr{};
    attr.target_fd = static_cast<uint32_t>(group.get());
    attr.attach_bpf_fd = static_cast<uint32_t>(program.get());
    attr.attach_type = BPF_CGROUP_DEVICE;
    attr.attach_flags = BPF_F_ALLOW_MULTI;
    if (bpf(BPF_PROG_ATTACH, attr) != 0)
        return Error::sys("attach the device filter (bpf)");
    return {};
}

Status detach(FdRef group, FdRef program) {
    bpf_attr attr{};
    attr.target_fd = static_cast<uint32_t>(group.get());
    attr.attach_bpf_fd = static_cast<uint32_t>(program.get());
    attr.attach_type = BPF_CGROUP_DEVICE;
    if (bpf(BPF_PROG_DETACH, attr) != 0 && errno != ENOENT)
        return Error::sys("detach the former device filter (bpf)");
    return {};
}

}  // namespace

std::vector<bpf_insn> device_program(const std::vector<DeviceRule>& rules) {
    std::vector<bpf_insn> out{
        load(kType, offsetof(bpf_cgroup_dev_ctx, access_type)),
        move_register(kPending, kType),
        alu(BPF_AND, kType, 0xFFFF),
        alu(BPF_RSH, kPending, 16),
        load(kMajor, offsetof(bpf_cgroup_dev_ctx, major)),
        load(kMinor, offsetof(bpf_cgroup_dev_ctx, minor)),
    };
    for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
        if (matches_all(*rule)) {
            append_answer(out, rule->allow);
            return out;  // the kernel refuses code that cannot be reached
        }
        const std::vector<bpf_insn> block = rule_block(*rule);
        out.insert(out.end(), block.begin(), block.end());
    }
    append_answer(out, false);
    return out;
}

Status replace_device_filter(FdRef group, const std::vector<bpf_insn>& program) {
    HARDRUN_TRY(const Attached before, attached_to(group));
    HARDRUN_TRY(const Fd fresh, load_program(program));
    HARDRUN_CHECK(attach(group, fresh));
    for (size_t i = 0; i < before.count; ++i)
        if (const Fd former = own_program(before.ids[i]); former.valid())
            HARDRUN_CHECK(detach(group, former));
    return {};
}

}  // namespace hardrun::cgroup
