// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The sentences, figures and order that every form of a comparison shares.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/comparison_report.h"

namespace assay::reports {

/// "59 rows: 1 regressed, 0 improved, 40 unchanged, 18 inconclusive": the first four always, the
/// others where there are some.
std::string comparison_headline(const model::comparison_report& report);

/// What kind of verdict this is: advisory, contaminated or incomplete, and why; then the margins
/// that rows were judged against. One sentence a line.
std::vector<std::string> standing_of(const model::comparison_report& report);

/// Regressed, improved, errored, removed, added, not comparable, inconclusive, unchanged; within
/// the first two the largest change first, else the report's order. Lifetime: points into `report`.
std::vector<const model::comparison_row*> most_urgent_first(const model::comparison_report& report);

/// Whether a row's name alone does not say what was measured.
bool has_several_metrics(const model::comparison_report& report);

/// "BM_add", or "BM_add [cpu_time]" where the report has several metrics.
std::string row_name(const model::comparison_row& row, bool is_metric_wanted);

/// A side's number: "35.07 µs", "12.40 GB/s", "1,024 B"; "-" where there is none, and the reason is
/// in note_of().
std::string value_words(const model::quantity& value, std::string_view unit);

/// "+12.3 %", "-0.4 %", "x 4.50" from a doubling on; "-" where there is none.
std::string change_words(const model::comparison_row& row);

/// "+10.1 … +14.0 %", or "-".
std::string interval_words(const model::comparison_row& row);

/// The smallest change that the row would have shown: "3.1 %", "exact", or "-" where unknown.
std::string visible_words(const model::comparison_row& row);

/// Whatever else there is to say: reason, how many pairs, an absent side, a similar name.
std::string note_of(const model::comparison_row& row);

/// "kernel: +0.3 % (-0.2 … +0.8 %), 12 pairs, stands still"; "not judged" and why in its
/// place.
std::string control_words(const model::control_line& line);

/// "🔴 " worse by 30 % or more, "⚠️ " by 15 %, "🟢 " better; empty otherwise. Only
/// confirmed rows and exact counts wear one, and none of a comparison that is advisory.
std::string_view flag_of(const model::comparison_row& row);

/// Confidence of the intervals, "90 %"; of the first row that has one.
std::string interval_heading(const model::comparison_report& report);

}  // namespace assay::reports
