// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/exact_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/telemetry/check.h"

namespace assay::compare {
namespace {

bool repeats(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

std::string spread_words(const char* side, const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("an exact count, and {} itself gives {} and {}", side, *low, *high);
}

}  // namespace

void decide_exact(const std::vector<double>& base, const std::vector<double>& head,
                  model::direction better, model::comparison_row& out) {
  using model::row_state;
  ASSAY_CHECK(!base.empty() && !head.empty(), "a side without values");
  out.is_exact = true;
  if (!repeats(base) || !repeats(head)) {
    out.state = row_state::not_comparable;
    out.reason = repeats(base) ? spread_words("head", head) : spread_words("base", base);
    return;
  }
  const double change = head.front() - base.front();
  if (base.front() != 0) out.change_ratio = change / base.front();
  if (change == 0) {
    out.state = row_state::unchanged;
    return;
  }
  out.reason = fmt::format("an exact count: {} became {}", base.front(), head.front());
  const bool is_better = (better == model::direction::lower_is_better && change < 0) ||
                         (better == model::direction::higher_is_better && change > 0);
  out.state = is_better ? row_state::improved : row_state::regressed;
}

}  // namespace assay::compare
