// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/translate_systemd.h"

#include "runtime/base/text.h"
#include "runtime/cgroup/scales.h"
#include "runtime/cgroup/usage.h"

namespace hardrun::cgroup {
namespace {

using Properties = std::vector<UnitProperty>;

constexpr uint64_t kDefaultPeriodUs = 100'000;
constexpr uint64_t kPercentUs = 10'000;  // systemd keeps whole percents of a second

void number(Properties& out, const char* name, uint64_t value) {
    out.push_back({name, "t", {std::to_string(value)}});
}

// -1 is systemd's infinity, which is the same bits.
void limit(Properties& out, const char* name, int64_t value) {
    number(out, name, static_cast<uint64_t>(value < 0 ? -1 : value));
}

// Rounded up, or the group's own files could not hold the exact value below systemd's.
uint64_t quota_per_second(int64_t quota, uint64_t period) {
    if (quota <= 0)
        return UINT64_MAX;
    const uint64_t exact = static_cast<uint64_t>(quota) * 1'000'000 / period;
    return (exact + kPercentUs - 1) / kPercentUs * kPercentUs;
}

// A list of cpus as systemd's bit mask, lowest byte first.
void bit_mask(Properties& out, const char* name, const std::string& list) {
    std::vector<unsigned> bytes;
    for (const uint64_t n : parse_list(list)) {
        if (bytes.size() <= n / 8)
            bytes.resize(n / 8 + 1);
        bytes[n / 8] |= 1U << (n % 8);
    }
    if (bytes.empty())
        return;
    UnitProperty property{name, "ay", {}};
    for (const unsigned byte : bytes)
        property.values.push_back(std::to_string(byte));
    out.push_back(std::move(property));
}

void cpu(Properties& out, const config::Cpu& c, Layout layout) {
    if (given(c.shares) && layout == Layout::v1)
        number(out, "CPUShares", *c.shares);
    else if (given(c.shares))
        number(out, "CPUWeight", weight_from_shares(*c.shares));
    if (given(c.period))
        number(out, "CPUQuotaPeriodUSec", *c.period);
    if (given(c.quota))
        number(out, "CPUQuotaPerSecUSec",
               quota_per_second(*c.quota, given(c.period) ? *c.period : kDefaultPeriodUs));
    if (layout == Layout::v1)
        return;  // systemd leaves cpuset alone there
    if (c.cpus)
        bit_mask(out, "AllowedCPUs", *c.cpus);
    if (c.mems)
        bit_mask(out, "AllowedMemoryNodes", *c.mems);
}

Status memory(Properties& out, const config::Memory& m, Layout layout) {
    if (layout == Layout::v1) {
        if (given(m.limit))
            limit(out, "MemoryLimit", *m.limit);
        return {};
    }
    if (given(m.limit))
        limit(out, "MemoryMax", *m.limit);
    if (given(m.reservation))
        limit(out, "MemoryLow", *m.reservation);
    // Swap alone depends on the limit in force, which only the group's files know.
    if (given(m.swap) && !given(m.limit))
        return {};
    HARDRUN_TRY(const int64_t swap, swap_without_memory(m.swap.value_or(0), m.limit.value_or(0)));
    if (swap != 0 || given(m.swap))
        limit(out, "MemorySwapMax", swap);
    return {};
}

uint64_t number_or_infinity(std::string_view text) {
    return text == "max" ? UINT64_MAX : parse_decimal(text).value_or(UINT64_MAX);
}

void unified_cpu_max(Properties& out, std::string_view value) {
    const auto words = split(trim(value), ' ');
    const uint64_t period =
        words.size() > 1 ? parse_decimal(words[1]).value_or(kDefaultPeriodUs) : kDefaultPeriodUs;
    const auto quota = parse_decimal(words[0], INT64_MAX / 1'000'000);
    number(out, "CPUQuotaPeriodUSec", period);
    number(out, "CPUQuotaPerSecUSec",
           quota_per_second(quota ? static_cast<int64_t>(*quota) : -1, period == 0 ? 1 : period));
}

// The keys that systemd knows; the others only the files get.
void unified(UnitProperties& out, const std::map<std::string, std::string>& values) {
    const std::map<std::string, const char*> numbers = {
        {"memory.high", "MemoryHigh"},        {"memory.low", "MemoryLow"},
        {"memory.min", "MemoryMin"},          {"memory.max", "MemoryMax"},
        {"memory.swap.max", "MemorySwapMax"}, {"pids.max", "TasksMax"}};
    for (const auto& [file, value] : values) {
        const auto known = numbers.find(file);
        if (known != numbers.end())
            number(out.late, known->second, number_or_infinity(trim(value)));
        else if (file == "cpu.max")
            unified_cpu_max(out.early, value);
        else if (const auto weight = parse_decimal(trim(value)); file == "cpu.weight" && weight)
            number(out.early, "CPUWeight", *weight);
        else if (file == "cpuset.cpus")
            bit_mask(out.early, "AllowedCPUs", value);
        else if (file == "cpuset.mems")
            bit_mask(out.early, "AllowedMemoryNodes", value);
    }
}

}  // namespace

std::vector<UnitProperty> unit_basics(const UnitName& name, pid_t pid, Layout layout) {
    Properties out{{"Description", "s", {"hardrun container " + name.unit}}};
    if (name.is_slice()) {
        out.push_back({"Wants", "as", {name.slice}});
    } else {
        out.push_back({"Slice", "s", {name.slice}});
        out.push_back({"Delegate", "b", {"true"}});
        out.push_back({"PIDs", "au", {std::to_string(pid)}});
    }
    for (const char* accounting :
         {"MemoryAccounting", "CPUAccounting",
          layout == Layout::v1 ? "BlockIOAccounting" : "IOAccounting", "TasksAccounting"})
        out.push_back({accounting, "b", {"true"}});
    out.push_back({"DefaultDependencies", "b", {"false"}});
    return out;
}

Result<UnitProperties> translate_systemd(const config::Resources& resources, Layout layout) {
    UnitProperties out;
    if (resources.cpu)
        cpu(out.early, *resources.cpu, layout);
    if (layout == Layout::v1 && resources.block_io && given(resources.block_io->weight))
        number(out.early, "BlockIOWeight", *resources.block_io->weight);
    if (resources.memory)
        HARDRUN_CHECK(memory(out.late, *resources.memory, layout));
    if (resources.pids_limit)
        limit(out.late, "TasksMax", pids_limit(*resources.pids_limit));
    if (layout == Layout::v2)
        unified(out, resources.unified);
    return out;
}

}  // namespace hardrun::cgroup
