// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The rules that the guard has and the audit has not: what no trace can show.
#pragma once

#include <span>
#include <string_view>

namespace assay::guard {

/// In words, as the audit's rules. Checks of guard.h and project.h name the rule that they are of.
struct guard_rule {
  std::string_view id;
  std::string_view name;
  std::string_view severity;
  std::string_view precondition;
  std::string_view check;
  std::string_view tolerance;
};

std::span<const guard_rule> rules();

}  // namespace assay::guard
