// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/text.h"
#include "runtime/cgroup/fs_driver.h"
#include "runtime/cgroup/scales.h"

namespace hardrun::cgroup {
namespace {

struct CpuMax {
    std::string quota;
    std::string period;
};

Result<CpuMax> read_v2(Files& files, const std::string& folder) {
    HARDRUN_TRY(const std::string text, files.read(folder, "cpu.max"));
    const auto words = split(trim(text), ' ');
    return CpuMax{std::string(words[0]), words.size() > 1 ? std::string(words[1]) : ""};
}

Result<CpuMax> read_v1(Files& files, const std::string& folder) {
    HARDRUN_TRY(const std::string quota, files.read(folder, "cpu.cfs_quota_us"));
    HARDRUN_TRY(const std::string period, files.read(folder, "cpu.cfs_period_us"));
    return CpuMax{std::string(trim(quota)), std::string(trim(period))};
}

}  // namespace

Result<config::Resources> FsDriver::with_both_of_cpu(const config::Resources& resources) {
    config::Resources full = resources;
    if (!full.cpu || given(full.cpu->quota) == given(full.cpu->period))
        return full;
    const auto group = setup_.location.folders.find(unified() ? "" : "cpu");
    if (group == setup_.location.folders.end())
        return full;
    HARDRUN_TRY(const CpuMax now,
                unified() ? read_v2(*files_, group->second) : read_v1(*files_, group->second));
    if (!given(full.cpu->quota)) {
        const auto quota = parse_decimal(now.quota, INT64_MAX);
        full.cpu->quota = quota ? static_cast<int64_t>(*quota) : -1;
    } else {
        full.cpu->period = parse_decimal(now.period);
    }
    return full;
}

}  // namespace hardrun::cgroup
