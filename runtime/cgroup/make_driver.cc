// SPDX-License-Identifier: Apache-2.0
// The only place that asks which driver it is.
#include <sys/stat.h>

#include "runtime/base/file.h"
#include "runtime/cgroup/detect.h"
#include "runtime/cgroup/driver.h"
#include "runtime/cgroup/fs_driver.h"
#include "runtime/cgroup/systemd_driver.h"
#include "runtime/cgroup/unit_name.h"

namespace hardrun::cgroup {
namespace {

// sd_booted(3)'s question.
bool systemd_runs() {
    struct stat st {};
    return ::lstat("/run/systemd/system", &st) == 0 && S_ISDIR(st.st_mode);
}

Status check_driver_matches(const Request& request) {
    if (!request.systemd && is_systemd_form(request.cgroups_path))
        return Error(Errc::bad_config,
                     "cgroup driver mismatch: linux.cgroupsPath '" + request.cgroups_path +
                         "' has the form slice:prefix:name of the systemd driver, but "
                         "--systemd-cgroup was not given, so hardrun uses cgroupfs; add "
                         "--systemd-cgroup to the runtime's options (containerd: SystemdCgroup = "
                         "true), or set the engine to cgroupfs (kubelet: cgroupDriver: cgroupfs)");
    if (request.systemd && !systemd_runs())
        return Error(Errc::unsupported,
                     "cgroup driver mismatch: --systemd-cgroup was given, but systemd is not "
                     "running here (no /run/systemd/system); set the engine to the cgroupfs driver "
                     "(docker: native.cgroupdriver=cgroupfs, containerd: SystemdCgroup = false, "
                     "kubelet: cgroupDriver: cgroupfs, podman: --cgroup-manager=cgroupfs)");
    if (request.systemd && request.rootless)
        return Error(Errc::unsupported,
                     "--systemd-cgroup: the user's own systemd is not supported yet; use the "
                     "cgroupfs driver without root (podman: --cgroup-manager=cgroupfs)");
    return {};
}

Result<std::unique_ptr<Driver>> make_systemd(const Request& request, const Host& host) {
    HARDRUN_TRY(const UnitName name, unit_name(request.cgroups_path, request.id));
    HARDRUN_TRY(const std::string init, read_file(FdRef::cwd(), "/proc/1/cgroup"));
    FsSetup setup;
    HARDRUN_TRY(setup.location, locate_unit(host, parse_own_groups(init), name));
    setup.v2_mount = host.v2 ? host.v2->mount_point : "";
    auto groups = std::make_unique<FsDriver>(kernel_files(), std::move(setup));
    return std::unique_ptr<Driver>(
        std::make_unique<SystemdDriver>(helper_bus(), std::move(groups), name));
}

}  // namespace

Result<std::unique_ptr<Driver>> make_driver(const Request& request) {
    HARDRUN_CHECK(check_driver_matches(request));
    HARDRUN_TRY(const Host host, probe_host());
    if (request.systemd)
        return make_systemd(request, host);
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
    auto groups =
        std::make_unique<FsDriver>(kernel_files(), FsSetup{location, "", Absence::is_error});
    if (location.systemd_unit.empty())
        return std::unique_ptr<Driver>(std::move(groups));
    return std::unique_ptr<Driver>(std::make_unique<SystemdDriver>(
        helper_bus(), std::move(groups), UnitName{location.systemd_unit, ""}));
}

}  // namespace hardrun::cgroup
