// SPDX-License-Identifier: Apache-2.0
// What engines put into config.json by themselves, so that it can be told from what somebody asked
// for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/spec.h"

namespace hardrun::config {

struct CapBaseline {
    std::string_view engine;
    std::string_view source;  // where the set was taken from
    uint64_t caps;
};

std::span<const CapBaseline> cap_baselines();

// The answer for one listed set: every capability of it is in exactly one of the three.
struct CapVerdict {
    uint64_t wished = 0;      // asked for, within the baseline
    uint64_t unasked = 0;     // the engine's own
    uint64_t beyond = 0;      // more than any engine gives by itself
    std::string_view engine;  // the baseline that it was compared with
};

// A set that equals a baseline was asked for by nobody, but for duplicates (`--cap-add X` with X in
// the set already); one of at most half of a baseline was asked for (`--cap-drop ALL --cap-add X`);
// a larger part is the baseline with drops.
CapVerdict judge_caps(const CapList& listed);

}  // namespace hardrun::config
