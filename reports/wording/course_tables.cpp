// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/course_tables.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reports/wording/quantity_words.h"
#include "reports/wording/word_cells.h"

namespace assay::reports {
namespace {

word_cell amount_cell(std::int64_t amount, const std::string& unit) {
  return {quantity_words({true, false, amount, 0.0, {}}, unit, "count"),
          static_cast<double>(amount)};
}

std::string unequal_words(const model::deviation_line& line) {
  if (line.unequal == 0) return "equal in every window";
  return line.is_near ? "a time: what is near enough is the audit's to say"
                      : "unequal in some window";
}

}  // namespace

word_table flows_table(const model::investigation& report) {
  word_table table{"flows", "Counters in each decode step", {}, {}, {}, {}};
  table.columns = {{"counter"}, {"steps", true}, {"total", true}, {"least", true}, {"most", true}};
  table.absence = "No counter grew in a decode step.";
  for (const model::flow_line& each : report.flows)
    table.rows.push_back({{{each.name},
                           count_cell(each.steps),
                           amount_cell(each.total, each.unit),
                           amount_cell(each.least, each.unit),
                           amount_cell(each.most, each.unit)},
                          word_tone::plain});
  return table;
}

word_table deviations_table(const model::investigation& report) {
  word_table table{"deviations", "Claimed less observed, window by window", {}, {}, {}, {}};
  table.columns = {{"counter"},   {"against"},     {"windows", true}, {"unequal", true},
                   {"sum", true}, {"least", true}, {"most", true},    {"farthest apart", true},
                   {"reads as"}};
  table.absence =
      "No window of the trace has a counter and somebody else who says what it must be.";
  for (const model::deviation_line& each : report.deviations) {
    const bool is_wrong = each.unequal > 0 && !each.is_near;
    table.rows.push_back(
        {{{each.name},
          {each.against},
          count_cell(each.windows),
          count_cell(each.unequal),
          amount_cell(each.total, each.unit),
          amount_cell(each.least, each.unit),
          amount_cell(each.most, each.unit),
          each.unequal == 0 ? word_cell{"-"}
                            : word_cell{fmt::format("at {}", duration_words(each.worst_at_ns)),
                                        static_cast<double>(each.worst_at_ns)},
          {unequal_words(each)}},
         is_wrong ? word_tone::bad : word_tone::plain});
  }
  if (!table.rows.empty())
    table.notes.push_back(
        "A difference that grows is an instrument that drifts, one that jumps is a window to look "
        "at. Records of a counter's work are compared in prefills and decode steps; a time is held "
        "against the span of its work or, where it adds up brackets, against the length of its "
        "records.");
  return table;
}

}  // namespace assay::reports
