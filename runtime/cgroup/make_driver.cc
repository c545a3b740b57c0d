// SPDX-License-Identifier: Apache-2.0
// The only place that asks which driver it is.
#include "runtime/cgroup/detect.h"
#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/fs_driver.h"

namespace hardrun::cgroup {

Result<std::unique_ptr<Driver>> make_driver(const Request& request) {
    HARDRUN_TRY(const Host host, probe_host());
    OwnGroups own;
    if (!request.cgroups_path.starts_with('/')) {
        HARDRUN_TRY(own, probe_own_groups());
    }
    FsSetup setup;
    HARDRUN_TRY(setup.location, locate(host, own, request));
    setup.v2_mount = host.v2 ? host.v2->mount_point : "";
    setup.absence = request.rootless ? Absence::is_left_out : Absence::is_error;
    return std::unique_ptr<Driver>(std::make_unique<FsDriver>(kernel_files(), std::move(setup)));
}

Result<std::unique_ptr<Driver>> open_driver(const Location& location) {
    return std::unique_ptr<Driver>(
        std::make_unique<FsDriver>(kernel_files(), FsSetup{location, "", Absence::is_error}));
}

}  // namespace hardrun::cgroup
