// SPDX-License-Identifier: Apache-2.0
// Plans for init that use everything there is, so that every step has something to do.
#pragma once

#include "runtime/init/init_plan.h"

namespace hardrun::test {

// Owns nothing: all of it is static data, but for envp, which init writes to.
struct FullPlan {
    FullPlan();
    ~FullPlan() = default;
    FullPlan(const FullPlan&) = delete;
    FullPlan& operator=(const FullPlan&) = delete;
    init::InitPlan plan;  // mode create

    void make_exec();
    void make_hook();

  private:
    const char* envp_[4] = {"PATH=/bin", nullptr, nullptr, nullptr};
};

}  // namespace hardrun::test
