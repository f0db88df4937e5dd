// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/overhead_table.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/wording/quantity_words.h"
#include "reports/wording/word_cells.h"

namespace assay::reports {

word_table overheads_table(const model::investigation& report) {
  word_table table{"overheads", "What the recorder and the driver did for themselves", {}, {}, {},
                   {}};
  table.columns = {{"pass"},        {"overhead"},   {"thread"},
                   {"spans", true}, {"time", true}, {"per pass", true}};
  const std::uint64_t told = report.decode.overhead.passes + report.prefill.overhead.passes;
  const std::uint64_t passes = report.decode.passes + report.prefill.passes;
  const std::uint64_t open = told > 0 && passes > told ? passes - told : 0;
  const std::string unknown = fmt::format(
      "Of {} {} nothing is known: {} more records of it than are held.", with_separators(open),
      open == 1 ? "pass" : "passes", open == 1 ? "it has" : "they have");
  table.absence = open > 0    ? unknown
                  : told == 0 ? "Unmeasured: no recorder of this run tells what it does for itself."
                              : "None in a prefill or a decode step.";
  const auto add = [&](std::string_view kind, const model::pass_total& total, std::string_view who,
                       const std::array<model::overhead_line, model::overhead_count>& lines) {
    for (std::size_t what = 0; what < lines.size(); ++what) {
      if (lines[what].spans == 0) continue;
      table.rows.push_back(
          {{{std::string(kind)},
            {std::string(model::overhead_word(what))},
            {std::string(who)},
            count_cell(lines[what].spans),
            time_cell(lines[what].busy_ns),
            time_cell(lines[what].busy_ns / static_cast<std::int64_t>(total.overhead.passes))},
           word_tone::plain});
    }
  };
  for (const auto& [kind, total] :
       {std::pair{"decode", &report.decode}, std::pair{"prefill", &report.prefill}}) {
    add(kind, *total, "caller", total->overhead.of_caller);
    add(kind, *total, "another", total->overhead.of_others);
  }
  if (!table.rows.empty() && open > 0) table.notes.push_back(unknown);
  if (!table.rows.empty())
    table.notes.push_back(
        "By records of the recorder's own, which are no part of the table above: what of the "
        "residual they cover is not the program's.");
  return table;
}

}  // namespace assay::reports
