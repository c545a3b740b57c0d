// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>

#include <seccomp.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/file.h"
#include "runtime/plan/seccomp_prologue.h"

namespace hardrun::plan {
namespace {

using config::Seccomp;
using config::SeccompAction;
using config::SeccompArg;
using config::SeccompOp;
using config::SeccompRule;

struct ContextFree {
    void operator()(void* context) const { seccomp_release(context); }
};
using Context = std::unique_ptr<void, ContextFree>;

// libseccomp answers with a negative errno.
Error failed(std::string_view what, int rc) {
    return Error(Errc::unsupported,
                 "linux.seccomp: " + std::string(what) + ": " + std::strerror(rc < 0 ? -rc : rc));
}

scmp_compare compare_op(SeccompOp op) {
    switch (op) {
        case SeccompOp::ne:
            return SCMP_CMP_NE;
        case SeccompOp::lt:
            return SCMP_CMP_LT;
        case SeccompOp::le:
            return SCMP_CMP_LE;
        case SeccompOp::eq:
            return SCMP_CMP_EQ;
        case SeccompOp::ge:
            return SCMP_CMP_GE;
        case SeccompOp::gt:
            return SCMP_CMP_GT;
        case SeccompOp::masked_eq:
            return SCMP_CMP_MASKED_EQ;
    }
    return _SCMP_CMP_MIN;
}

// For masked_eq, value is the mask and value_two what must be left (config-linux.md, "Seccomp").
scmp_arg_cmp condition(const SeccompArg& arg) {
    return scmp_arg_cmp{
        .arg = arg.index, .op = compare_op(arg.op), .datum_a = arg.value, .datum_b = arg.value_two};
}

// The architectures of the filter, the machine's own first: it is in every filter, listed or not.
Result<std::vector<uint32_t>> add_architectures(const Seccomp& seccomp, void* context) {
    std::vector<uint32_t> all = {seccomp_arch_native()};
    for (const std::string& name : seccomp.architectures) {
        std::string lower = name.substr(std::string_view("SCMP_ARCH_").size());
        for (char& c : lower)
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const uint32_t arch = seccomp_arch_resolve_name(lower.c_str());
        if (arch == 0)
            return Error(Errc::unsupported, "linux.seccomp.architectures: " + name +
                                                " is not known to this build's libseccomp");
        if (std::ranges::find(all, arch) != all.end())
            continue;
        if (const int rc = seccomp_arch_add(context, arch); rc != 0)
            return failed("architectures: " + name, rc);
        all.push_back(arch);
    }
    return all;
}

Status add_call(void* context, uint32_t action, int call, const std::vector<scmp_arg_cmp>& args) {
    const int rc = seccomp_rule_add_array(context, action, call, static_cast<unsigned>(args.size()),
                                          args.data());
    return rc == 0 ? Status() : Status(failed("seccomp_rule_add", rc));
}

// Two conditions on one argument were alternatives before libseccomp could join conditions, and
// profiles are written for that: each becomes a rule of its own.
bool same_argument_twice(const std::vector<scmp_arg_cmp>& args) {
    for (size_t i = 0; i < args.size(); ++i)
        for (size_t earlier = 0; earlier < i; ++earlier)
            if (args[i].arg == args[earlier].arg)
                return true;
    return false;
}

// Returns how many rules were added.
Result<size_t> add_rule(const SeccompRule& rule, uint32_t default_return, void* context) {
    const uint32_t action = seccomp_return(rule.action, rule.errno_ret);
    if (action == default_return)
        return size_t{0};  // libseccomp takes such a rule for a mistake
    std::vector<scmp_arg_cmp> args;
    for (const SeccompArg& arg : rule.args)
        args.push_back(condition(arg));
    const bool alternatives = same_argument_twice(args);
    size_t added = 0;
    for (const std::string& name : rule.names) {
        const int call = seccomp_syscall_resolve_name(name.c_str());
        if (call == __NR_SCMP_ERROR)
            continue;
        ++added;
        if (!alternatives)
            HARDRUN_CHECK(add_call(context, action, call, args).context(name));
        else
            for (const scmp_arg_cmp& one : args)
                HARDRUN_CHECK(add_call(context, action, call, {one}).context(name));
    }
    return added;
}

Status add_rules(const Seccomp& seccomp, void* context) {
    // Below this a list is as quick; and 2.5.4 makes a broken tree of no rules at all.
    constexpr size_t kWorthATree = 32;
    const uint32_t by_default = seccomp_return(seccomp.default_action, seccomp.default_errno_ret);
    size_t rules = 0;
    for (const SeccompRule& rule : seccomp.syscalls) {
        HARDRUN_TRY(const size_t added, add_rule(rule, by_default, context));
        rules += added;
    }
    if (rules > kWorthATree)
        (void)seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);  // only speed is at stake
    return {};
}

Result<std::vector<uint64_t>> export_program(void* context) {
    const Fd memory(::memfd_create("seccomp", MFD_CLOEXEC));
    if (!memory.valid())
        return Error::sys("memfd_create");
    if (const int rc = seccomp_export_bpf(context, memory.get()); rc != 0)
        return failed("seccomp_export_bpf", rc);
    if (::lseek(memory.get(), 0, SEEK_SET) != 0)
        return Error::sys("lseek");
    HARDRUN_TRY(const std::string bytes, read_all(memory, "seccomp program"));
    std::vector<uint64_t> out(bytes.size() / sizeof(uint64_t));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(uint64_t));
    return out;
}

bool notifies(const Seccomp& seccomp) {
    return std::ranges::find(seccomp.syscalls, SeccompAction::notify, &SeccompRule::action) !=
           seccomp.syscalls.end();
}

// TSYNC is for programs with threads; the process that loads this has one.
uint32_t filter_flags(const Seccomp& seccomp) {
    const auto asked = [&](std::string_view name) {
        return std::ranges::find(seccomp.flags, name) != seccomp.flags.end();
    };
    uint32_t flags = 0;
    if (asked("SECCOMP_FILTER_FLAG_LOG"))
        flags |= SECCOMP_FILTER_FLAG_LOG;
    if (asked("SECCOMP_FILTER_FLAG_SPEC_ALLOW"))
        flags |= SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    if (!notifies(seccomp))
        return flags;
    flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
    if (asked("SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"))
        flags |= SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    return flags;
}

}  // namespace

Result<SeccompProgram> compile_seccomp(const Seccomp& seccomp) {
    if (seccomp.default_action == SeccompAction::notify)
        return Error(Errc::bad_config,
                     "linux.seccomp.defaultAction: SCMP_ACT_NOTIFY would stop "
                     "the runtime itself");
    // The library otherwise asks the running kernel what it knows, by trying. Whether this kernel
    // takes the program is found out when it is loaded.
    constexpr unsigned kEverything = 6;
    (void)seccomp_api_set(kEverything);
    const Context context(
        seccomp_init(seccomp_return(seccomp.default_action, seccomp.default_errno_ret)));
    if (!context)
        return Error(Errc::internal, "linux.seccomp: seccomp_init failed");
    // A call by another architecture's door ends the process; the thread alone would leave the
    // rest.
    if (const int rc =
            seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        rc != 0)
        return failed("bad architecture action", rc);
    HARDRUN_TRY(const auto architectures, add_architectures(seccomp, context.get()));
    HARDRUN_CHECK(add_rules(seccomp, context.get()));
    HARDRUN_TRY(auto prologue, seccomp_prologue(seccomp, architectures));
    SeccompProgram program{std::move(prologue), filter_flags(seccomp)};
    HARDRUN_TRY(const auto body, export_program(context.get()));
    program.instructions.insert(program.instructions.end(), body.begin(), body.end());
    if (program.instructions.size() > BPF_MAXINSNS)
        return Error(Errc::unsupported,
                     "linux.seccomp: the filter has more than 4096 instructions, "
                     "the kernel's limit");
    return program;
}

}  // namespace hardrun::plan
