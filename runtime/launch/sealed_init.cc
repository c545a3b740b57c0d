// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/sealed_init.h"

#include <sys/mman.h>

#include <fcntl.h>

#include <string_view>

#include "runtime/base/file.h"

extern "C" const char hardrun_init_begin[];
extern "C" const char hardrun_init_end[];

namespace hardrun::launch {
namespace {

constexpr unsigned kMfdExec = 0x10;  // MFD_EXEC, Linux 6.3
constexpr int kSealExec = 0x20;      // F_SEAL_EXEC, Linux 6.3
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

Result<Fd> make_memfd() {
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    Fd fd(::memfd_create("hardrun-init", kFlags | kMfdExec));
    if (!fd.valid() && errno == EINVAL)
        fd =
            Fd(::memfd_create("hardrun-init", kFlags));  // older kernels: executable without asking
    if (!fd.valid())
        return Error::sys("memfd_create for the init program (vm.memfd_noexec must not be 2)");
    return fd;
}

}  // namespace

Result<Fd> make_sealed_init() {
    HARDRUN_TRY(Fd fd, make_memfd());
    const std::string_view bytes(hardrun_init_begin,
                                 static_cast<size_t>(hardrun_init_end - hardrun_init_begin));
    HARDRUN_CHECK(write_all(fd, bytes, "the init program"));
    if (::fcntl(fd.get(), F_ADD_SEALS, kSeals | kSealExec) != 0 &&
        ::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
        return Error::sys("seal the init program");
    if ((::fcntl(fd.get(), F_GET_SEALS) & kSeals) != kSeals)
        return Error(Errc::kernel, "the init program could not be sealed");
    return fd;
}

}  // namespace hardrun::launch
