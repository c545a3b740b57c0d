// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/seccomp_prologue.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <seccomp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <map>

namespace hardrun::plan {
namespace {

using config::Seccomp;
using config::SeccompAction;
using config::SeccompRule;

// Newer than libseccomp 2.5.4. A library that knows one of them is asked first.
struct NewCall {
    std::string_view name;
    uint32_t number;
};
constexpr auto kNewCalls = std::to_array<NewCall>({
    {"cachestat", 451},         {"fchmodat2", 452},        {"map_shadow_stack", 453},
    {"futex_wake", 454},        {"futex_wait", 455},       {"futex_requeue", 456},
    {"statmount", 457},         {"listmount", 458},        {"lsm_get_self_attr", 459},
    {"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
    {"setxattrat", 463},        {"getxattrat", 464},       {"listxattrat", 465},
    {"removexattrat", 466},     {"open_tree_attr", 467},   {"file_getattr", 468},
    {"file_setattr", 469},      {"listns", 470},
});

constexpr uint32_t kX32Bit = 0x40000000;

// x32 runs under x86_64's audit token; its calls are told by a bit of their number.
uint32_t audit_arch(uint32_t arch) {
    return arch == SCMP_ARCH_X32 ? SCMP_ARCH_X86_64 : arch;
}

uint32_t number_base(uint32_t arch) {
    return arch == SCMP_ARCH_X32 ? kX32Bit : 0;
}

bool has_common_numbers(uint32_t arch) {
    constexpr auto kOwn =
        std::to_array<uint32_t>({SCMP_ARCH_MIPS, SCMP_ARCH_MIPS64, SCMP_ARCH_MIPS64N32,
                                 SCMP_ARCH_MIPSEL, SCMP_ARCH_MIPSEL64, SCMP_ARCH_MIPSEL64N32});
    return std::ranges::find(kOwn, arch) == kOwn.end();
}

const NewCall* find_new_call(uint32_t arch, const std::string& name) {
    if (!has_common_numbers(arch) ||
        seccomp_syscall_resolve_name_arch(arch, name.c_str()) != __NR_SCMP_ERROR)
        return nullptr;
    const auto it = std::ranges::find(kNewCalls, std::string_view(name), &NewCall::name);
    return it != kNewCalls.end() ? &*it : nullptr;
}

bool refuses(SeccompAction action) {
    return action != SeccompAction::allow && action != SeccompAction::log &&
           action != SeccompAction::trace;
}

// A profile that names its default errno has decided what unknown calls get.
bool wants_enosys(const Seccomp& seccomp) {
    return refuses(seccomp.default_action) && !seccomp.default_errno_ret;
}

// What one architecture's section is made of; numbers with the x32 bit where it belongs.
struct Section {
    uint32_t arch = 0;
    uint32_t newest = 0;                   // 0: the profile names none
    std::map<uint32_t, uint32_t> returns;  // call -> SECCOMP_RET_*
};

// A rule with conditions cannot be put here. To leave a permission out is strict; to leave a
// refusal out is a hole.
Status add_rule(const Seccomp& seccomp, const SeccompRule& rule, const NewCall& call,
                Section& section) {
    const uint32_t wanted = seccomp_return(rule.action, rule.errno_ret);
    if (wanted == seccomp_return(seccomp.default_action, seccomp.default_errno_ret))
        return {};
    if (!rule.args.empty() && refuses(rule.action))
        return Error(Errc::unsupported, "linux.seccomp.syscalls: conditions on the arguments of '" +
                                            std::string(call.name) +
                                            "' need a newer libseccomp than this build has");
    if (rule.args.empty())
        section.returns.emplace(call.number + number_base(section.arch), wanted);
    return {};
}

// One name of one rule: what it adds to the section, and its number for the search of the newest.
Status add_name(const Seccomp& seccomp, const SeccompRule& rule, const std::string& name,
                Section& section) {
    const int known = seccomp_syscall_resolve_name_arch(section.arch, name.c_str());
    if (known > 0)
        section.newest = std::max(section.newest, static_cast<uint32_t>(known));
    const NewCall* call = find_new_call(section.arch, name);
    if (call == nullptr)
        return {};
    section.newest = std::max(section.newest, call->number + number_base(section.arch));
    return add_rule(seccomp, rule, *call, section);
}

Result<Section> make_section(const Seccomp& seccomp, uint32_t arch) {
    Section section{.arch = arch, .newest = 0, .returns = {}};
    for (const SeccompRule& rule : seccomp.syscalls)
        for (const std::string& name : rule.names)
            HARDRUN_CHECK(add_name(seccomp, rule, name, section));
    return section;
}

// ---- code ---------------------------------------------------------------------------------------

class Code {
  public:
    void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset), 0, 0); }
    // Runs the next instruction only when the comparison holds.
    void only_if(uint16_t comparison, uint32_t value) {
        add(static_cast<uint16_t>(BPF_JMP | BPF_K | comparison), value, 0, 1);
    }
    void skip_next_if(uint16_t comparison, uint32_t value) {
        add(static_cast<uint16_t>(BPF_JMP | BPF_K | comparison), value, 1, 0);
    }
    void give(uint32_t value) { add(BPF_RET | BPF_K, value, 0, 0); }

    // A jump whose target is told later.
    size_t jump() {
        add(BPF_JMP | BPF_JA, 0, 0, 0);
        return code_.size() - 1;
    }
    void land(size_t jump) { code_[jump].k = static_cast<uint32_t>(code_.size() - jump - 1); }

    std::vector<uint64_t> take() const {
        std::vector<uint64_t> out;
        out.reserve(code_.size());
        for (const sock_filter& one : code_)
            out.push_back(std::bit_cast<uint64_t>(one));
        return out;
    }

  private:
    void add(uint16_t code, uint32_t k, uint8_t jt, uint8_t jf) {
        code_.push_back(sock_filter{.code = code, .jt = jt, .jf = jf, .k = k});
    }
    std::vector<sock_filter> code_;
};

// Calls of x86_64 and of x32 meet here: each section looks only at its own half of the numbers.
void emit_numbers(const Section& section, bool enosys, Code& code, std::vector<size_t>& to_filter) {
    const uint32_t after_newest = section.newest + 1;
    uint32_t first = enosys ? after_newest : UINT32_MAX;
    if (!section.returns.empty())
        first = std::min(first, section.returns.begin()->first);
    code.skip_next_if(BPF_JGE, first);
    to_filter.push_back(code.jump());
    for (const auto& [number, value] : section.returns) {
        code.only_if(BPF_JEQ, number);
        code.give(value);
    }
    if (!enosys)
        return;
    code.only_if(BPF_JGE, after_newest);
    code.give(SECCOMP_RET_ERRNO | ENOSYS);
}

void emit(const Section& section, bool enosys, Code& code, std::vector<size_t>& to_filter) {
    code.load(offsetof(seccomp_data, arch));
    code.skip_next_if(BPF_JEQ, audit_arch(section.arch));
    const size_t other_arch = code.jump();
    code.load(offsetof(seccomp_data, nr));
    size_t other_half = other_arch;
    if (audit_arch(section.arch) == SCMP_ARCH_X86_64) {
        if (section.arch == SCMP_ARCH_X32)
            code.skip_next_if(BPF_JSET, kX32Bit);
        else
            code.only_if(BPF_JSET, kX32Bit);
        other_half = code.jump();
    }
    emit_numbers(section, enosys, code, to_filter);
    to_filter.push_back(code.jump());
    code.land(other_arch);
    code.land(other_half);
}

}  // namespace

uint32_t seccomp_return(SeccompAction action, const std::optional<uint32_t>& errno_ret) {
    const uint32_t data = errno_ret.value_or(EPERM) & SECCOMP_RET_DATA;
    switch (action) {
        case SeccompAction::kill_thread:
            return SECCOMP_RET_KILL_THREAD;
        case SeccompAction::kill_process:
            return SECCOMP_RET_KILL_PROCESS;
        case SeccompAction::trap:
            return SECCOMP_RET_TRAP;
        case SeccompAction::error:
            return SECCOMP_RET_ERRNO | data;
        case SeccompAction::trace:
            return SECCOMP_RET_TRACE | data;
        case SeccompAction::allow:
            return SECCOMP_RET_ALLOW;
        case SeccompAction::log:
            return SECCOMP_RET_LOG;
        case SeccompAction::notify:
            return SECCOMP_RET_USER_NOTIF;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

Result<std::vector<uint64_t>> seccomp_prologue(const Seccomp& seccomp,
                                               std::span<const uint32_t> architectures) {
    Code code;
    std::vector<size_t> to_filter;
    for (const uint32_t arch : architectures) {
        HARDRUN_TRY(const Section section, make_section(seccomp, arch));
        // Without a single name there is no newest one to compare with.
        const bool enosys = wants_enosys(seccomp) && section.newest != 0;
        if (enosys || !section.returns.empty())
            emit(section, enosys, code, to_filter);
    }
    for (const size_t jump : to_filter)
        code.land(jump);
    return code.take();
}

}  // namespace hardrun::plan
