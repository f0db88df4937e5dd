// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Explanations onto the findings that they explain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/audit/rule.h"

namespace assay::audit {

/// Asks every rule that explains about every finding. A finding gets all that fit, nearest first;
/// its own cause comes first where another is no nearer. The nearest becomes its likely cause.
/// Returns a line a rule that explains. Nothing is found that was not found before.
std::vector<model::rule_line> attach_explanations(const evidence& from, std::span<const rule> with,
                                                  std::vector<model::finding>& findings);

}  // namespace assay::audit
