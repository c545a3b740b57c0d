// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/arena.h"

#include <sys/mman.h>

#include <unistd.h>

namespace hardrun::launch {
namespace {

constexpr size_t kCapacity = 64U << 20;  // only what is touched takes memory

// An address agreed upon with another program.
void* base() {
    return reinterpret_cast<void*>(init::kPlanAddress);
}

}  // namespace

Result<Arena> Arena::make() {
    Fd fd(::memfd_create("hardrun-plan", MFD_CLOEXEC));
    if (!fd.valid())
        return Error::sys("memfd_create for the init plan");
    if (::ftruncate(fd.get(), kCapacity) != 0)
        return Error::sys("ftruncate the init plan");
    void* const at = ::mmap(base(), kCapacity, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED_NOREPLACE, fd.get(), 0);
    if (at == MAP_FAILED)
        return Error::sys("mmap the init plan");
    new (at) init::InitPlan();
    return Arena(std::move(fd));
}

Arena::Arena(Arena&& other) noexcept
    : fd_(std::move(other.fd_)), used_(other.used_), overflow_(other.overflow_) {}

Arena::~Arena() {
    if (fd_.valid())
        (void)::munmap(base(), kCapacity);  // cannot fail for a mapping of ours
}

void* Arena::take(size_t bytes, size_t alignment) {
    const size_t at = (used_ + alignment - 1) / alignment * alignment;
    if (bytes > kCapacity / 2 || at + bytes > kCapacity / 2) {
        overflow_ = true;  // the upper half takes the overflow until finish() refuses it
        return static_cast<char*>(base()) + kCapacity / 2;
    }
    used_ = at + bytes;
    return static_cast<char*>(base()) + at;
}

const char* Arena::text(std::string_view value) {
    auto copy = array<char>(value.size() + 1);
    if (!overflow_)
        std::memcpy(copy.data(), value.data(), value.size());
    return copy.data();
}

const char** Arena::texts(const std::vector<std::string>& values, size_t spare) {
    auto pointers = array<const char*>(values.size() + spare + 1);
    for (size_t i = 0; i < values.size(); ++i)
        pointers[i] = text(values[i]);
    return pointers.data();
}

init::InitPlan& Arena::plan() {
    return *static_cast<init::InitPlan*>(base());
}

Status Arena::finish() {
    if (overflow_)
        return Error(Errc::bad_config,
                     "process.args, process.env and the mounts together are too large");
    if (::ftruncate(fd_.get(), static_cast<off_t>(used_)) != 0)
        return Error::sys("ftruncate the init plan");
    return {};
}

}  // namespace hardrun::launch
