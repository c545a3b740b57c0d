// SPDX-License-Identifier: Apache-2.0
// Memory that parent and init share by address: a memfd mapped at init::kPlanAddress in both, so
// that the plan's pointers hold. Filled once, then given away with the spawn. One at a time.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/init/init_plan.h"

namespace hardrun::launch {

class Arena {
  public:
    static Result<Arena> make();
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&&) = delete;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    init::InitPlan& plan();
    FdRef fd() const { return fd_; }

    // `count` zeroed elements.
    template <class T>
    std::span<T> array(size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        T* const at = static_cast<T*>(take(count * sizeof(T), alignof(T)));
        for (size_t i = 0; i < count; ++i)
            new (at + i) T();
        return {at, count};
    }
    template <class T>
    init::Slice<T> slice(const std::vector<T>& values) {
        auto copy = array<T>(values.size());
        std::copy(values.begin(), values.end(), copy.begin());
        return {copy.data(), copy.size()};
    }
    const char* text(std::string_view value);
    // Pointers to copies, with a final null.
    const char** texts(const std::vector<std::string>& values, size_t spare = 0);

    // After filling. Errors: bad_config when the plan was too large.
    Status finish();

  private:
    explicit Arena(Fd fd) : fd_(std::move(fd)) {}
    void* take(size_t bytes, size_t alignment);

    Fd fd_;
    size_t used_ = sizeof(init::InitPlan);
    bool overflow_ = false;
};

}  // namespace hardrun::launch
