// SPDX-License-Identifier: Apache-2.0
// A judgement in words: every rule of the table, what it left, changed or refused, and the way to
// go on. It prints what create does, since both come from judge().
#pragma once

#include <string>

#include "config/harden.h"

namespace hardrun::config {

std::string explain_json(const Judgement& judgement);

enum class Colour : uint8_t { off, on };
std::string explain_table(const Judgement& judgement, Colour colour);

}  // namespace hardrun::config
