// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Counts that admit no noise: bytes, launches, page-ins, token ids.
#pragma once

#include <vector>

#include "reports/model/comparison_report.h"

namespace assay::compare {

/// Of a count that only base has.
inline constexpr const char* lost_count_words =
    "head does not count it any more; it was not compared";

/// Sets `out`'s state and reason, with a tolerance of zero. A side that does not repeat itself
/// cannot be held against the other: not comparable. Where neither way is better any difference is
/// a regression. Neither side is empty.
void decide_exact(const std::vector<double>& base, const std::vector<double>& head,
                  model::direction better, model::comparison_row& out);

}  // namespace assay::compare
