// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From pairs to states. Pure: the same pairs and rules give the same states.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/compare/null_cache.h"
#include "harness/compare/paired_row.h"
#include "reports/model/comparison_report.h"

namespace assay::compare {

/// ln(head/base) of each pair, positive where head is worse: of a metric where more is better the
/// sign is turned. Of an unknown direction it is as it is.
std::vector<double> cost_differences(const std::vector<value_pair>& pairs, model::direction better);

/// Whether a row's screen lets it into the confirmation, and in which direction.
struct screen_result {
  bool is_worse_possible = false;
  bool is_better_possible = false;
  bool passes() const { return is_worse_possible || is_better_possible; }
};

/// A row without a hypothesis (exact, control, same code, failed, one-sided) never passes.
screen_result screened(const paired_row& row, const decision_rules& rules, null_cache& nulls);

/// The states of all rows that are no controls, in order. The family of the multiple test is every
/// direction of every row that passed its screen.
std::vector<model::comparison_row> decide_rows(const std::vector<paired_row>& rows,
                                               const decision_rules& rules, null_cache& nulls);

/// Takes back every state that rests on times: a control has moved.
void withdraw_findings(std::vector<model::comparison_row>& rows, const std::string& why);

}  // namespace assay::compare
