// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/compare_rivals.h"

#include <algorithm>

#include "harness/compare/median.h"
#include "harness/compare/rank_sum.h"

namespace assay::campaigns {
namespace {

bool by_one_run(const sequential_row& row) {
  return row.head.front() / row.base.front() - 1.0 >= 0.15;
}

bool by_u_test(const sequential_row& row) {
  const compare::rank_sum_sample sample(row.base, row.head);
  const compare::rank_sum_null null = sample.null();
  const double p = 2.0 * std::min(sample.p_of_at_most(null, 0.0), sample.p_of_at_least(null, 0.0));
  return p < 0.05 && sample.estimate() > 0;
}

bool by_five_percent(const sequential_row& row) {
  return compare::median_of(row.head) / compare::median_of(row.base) - 1.0 > 0.05;
}

constexpr std::array<rival, 3> all{{{"one run a side, 15 %", by_one_run},
                                    {"u-test at 5 % (compare.py)", by_u_test},
                                    {"medians, 5 %", by_five_percent}}};

}  // namespace

const std::array<rival, 3>& rivals() {
  return all;
}

}  // namespace assay::campaigns
