// SPDX-License-Identifier: Apache-2.0
#include "runtime/cgroup/writes.h"

#include "runtime/base/text.h"

namespace hardrun::cgroup {
namespace {

bool missing(const Status& status) {
    return !status && status.error().sys_errno() == ENOENT;
}

Status apply_one(Files& files, const std::string& folder, const Write& write) {
    Status done = files.write(folder, write.file, write.value);
    if (missing(done) && !write.other_file.empty())
        done = files.write(folder, write.other_file, write.other_value);
    return done;
}

// A v2 group lacks the files of controllers that a group above does not hand down to it.
Error not_enabled(Files& files, const std::string& folder, const Write& write) {
    const std::string controller = write.file.substr(0, write.file.find('.'));
    const Result<std::string> enabled = files.read(folder, "cgroup.controllers");
    const std::string_view names = enabled ? trim(*enabled) : "";
    if (names.find(controller) != std::string_view::npos)
        return Error(Errc::unsupported, write.field + ": this kernel has no cgroup " + write.file);
    return Error(Errc::unsupported, write.field + ": the " + controller +
                                        " controller is not enabled for " + folder + " (wants " +
                                        write.file + "; enabled: '" + std::string(names) + "')");
}

// The kernel says only "busy" when the group already uses more than the new limit.
Status explained(Files& files, const std::string& folder, const Write& write, Status status) {
    if (status || status.error().sys_errno() != EBUSY || write.controller != "memory")
        return status;
    const Result<std::string> usage = files.read(folder, "memory.usage_in_bytes");
    if (!usage)
        return status;
    Error error(Errc::kernel,
                status.error().what() + " (in use: " + std::string(trim(*usage)) + " bytes)");
    return error;
}

}  // namespace

Status apply(Files& files, const Folders& folders, const std::vector<Write>& writes) {
    std::vector<const Write*> again;
    for (const Write& write : writes) {
        const auto folder = folders.find(write.controller);
        if (folder == folders.end())
            return Error(Errc::unsupported, write.field + ": there is no " + write.controller +
                                                " cgroup to set it in (wants " + write.file + ")");
        Status done = apply_one(files, folder->second, write);
        if (missing(done) && write.on_failure == OnFailure::skip_missing)
            continue;
        if (missing(done) && write.controller.empty())
            return not_enabled(files, folder->second, write);
        if (!done && done.error().sys_errno() == EINVAL &&
            write.on_failure == OnFailure::retry_last) {
            again.push_back(&write);
            continue;
        }
        HARDRUN_CHECK(
            explained(files, folder->second, write, std::move(done)).context(write.field));
    }
    for (const Write* write : again)
        HARDRUN_CHECK(
            apply_one(files, folders.at(write->controller), *write).context(write->field));
    return {};
}

}  // namespace hardrun::cgroup
