// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/sample_comparison.h"

#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

using model::row_state;

model::comparison_row bare_row(const std::string& name, row_state state) {
  model::comparison_row row;
  row.name = name;
  row.metric = "real_time";
  row.unit = "ns";
  row.better = model::direction::lower_is_better;
  row.state = state;
  return row;
}

}  // namespace

model::comparison_row changed_row(const std::string& name, row_state state, double change_ratio) {
  model::comparison_row row = bare_row(name, state);
  row.base = real(1234.5);
  row.head = real(1234.5 * (1 + change_ratio));
  row.change_ratio = change_ratio;
  row.interval = model::change_interval{change_ratio - 0.01, change_ratio + 0.012};
  row.interval_level_ratio = 0.90;
  row.visible_ratio = 0.031;
  row.margin_ratio = 0.02;
  row.margin_source = "threshold";
  row.p_value = 0.0004;
  row.base_processes = row.head_processes = 44;
  row.pairs = 32;
  row.is_confirmed = state == row_state::regressed || state == row_state::improved;
  return row;
}

model::comparison_report sample_comparison() {
  model::comparison_report report;
  report.is_paired = true;
  report.rows = {changed_row("BM_small", row_state::regressed, 0.08),
                 changed_row("BM_large", row_state::regressed, 0.41),
                 changed_row("BM_middle", row_state::regressed, 0.2),
                 changed_row("BM_fast", row_state::improved, -0.3),
                 changed_row("BM_same", row_state::unchanged, 0.0004),
                 changed_row("BM_loud", row_state::inconclusive, 1.5),
                 bare_row("BM_gone", row_state::removed),
                 bare_row("BM_new", row_state::added),
                 bare_row("BM_crashed", row_state::errored),
                 bare_row("BM_other", row_state::not_comparable),
                 changed_row("launches", row_state::regressed, 0.01)};
  report.rows[3].unit = "bytes_per_s";
  report.rows[3].metric = "bytes_per_second";
  report.rows[5].reason = "the interval reaches beyond the margin";
  report.rows[5].interval.reset();
  report.rows[5].visible_ratio.reset();
  report.rows[6].base = real(99);
  report.rows[6].head = absent("not in this side");
  report.rows[6].similar_to = "BM_new";
  report.rows[7].base = absent("not in this side");
  report.rows[7].head = real(98);
  report.rows[7].similar_to = "BM_gone";
  report.rows[8].base = real(5);
  report.rows[8].head = absent("killed by signal 11");
  report.rows[8].reason = "head: killed by signal 11";
  report.rows[9].base = real(5);
  report.rows[9].head = real(6);
  report.rows[9].reason = "ns against bytes";
  model::comparison_row& exact = report.rows[10];
  exact.unit = "count";
  exact.base = real(100);
  exact.head = real(101);
  exact.is_exact = true;
  exact.reason = "an exact count: 100 became 101";
  exact.interval.reset();
  exact.visible_ratio.reset();
  report.controls = {{"control kernel", 0.003, model::change_interval{-0.002, 0.008}, 44, false,
                      "the harness's own code on both sides"}};
  report.notes = {"2 aggregates were left out"};
  report.blind_spots = {"a change within a row's margin"};
  report.facts = {{"host", "runner"}, {"seed", "7"}};
  return report;
}

model::comparison_report doubtful_comparison() {
  model::comparison_report report = sample_comparison();
  report.is_paired = false;
  report.is_contaminated = true;
  report.contamination = "what cannot have changed has moved: control kernel";
  report.is_complete = false;
  report.incompleteness = "interrupted after 12 processes";
  report.controls[0].has_moved = true;
  for (auto& row : report.rows) row.is_advisory = true;
  return report;
}

model::comparison_report long_comparison(std::size_t count, row_state state) {
  model::comparison_report report;
  report.is_paired = true;
  for (std::size_t i = 0; i < count; ++i)
    report.rows.push_back(changed_row(std::string(194, 'x') + std::to_string(100'000 + i), state,
                                      0.2 + static_cast<double>(i) * 1e-5));
  report.facts.assign(200, {"a fact", std::string(2000, 'f')});
  return report;
}

}  // namespace assay::reports
