// SPDX-License-Identifier: Apache-2.0
// The child side, from clone to exec: an ordered table of steps over a plan that is plain memory.
// Rules of this folder: no allocation, no exceptions, no locks, no stdio, no library but the
// kernel.
#pragma once

#include "runtime/init/init_plan.h"
#include "runtime/init/kernel.h"
#include "runtime/init/report.h"

namespace hardrun::init {

// Runs every step of the plan's mode in order. Returns only on failure, which it has reported.
Message run_steps(const InitPlan& plan, Kernel& kernel) noexcept;

}  // namespace hardrun::init
