// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/roofline_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/wording/investigation_words.h"
#include "reports/wording/quantity_words.h"
#include "reports/wording/time_tables.h"

namespace assay::reports {
namespace {

double number_of(const model::quantity& value) {
  return value.is_real ? value.real : static_cast<double>(value.integer);
}

word_cell cell(const model::quantity& value, std::string (*words)(double)) {
  if (!is_printable(value)) return {"-"};
  return {words(number_of(value)), number_of(value)};
}

std::string amount_words(double value) {
  return with_separators(static_cast<std::int64_t>(std::min(value, 9e18)));
}

std::string intensity_words(double operations_per_byte) {
  return quantity_words({true, true, 0, operations_per_byte, {}}, "FLOP/B", "count");
}

std::string percent_words(double ratio) {
  return fmt::format("{:.1f} %", ratio * 100.0);
}

std::string bound_words(const model::roofline_point& point, model::read_tier tier) {
  switch (point.bound) {
    case model::roof_bound::arithmetic:
      return "arithmetic";
    case model::roof_bound::reads:
      return tier == model::read_tier::memory  ? "memory"
             : tier == model::read_tier::cache ? "reads, of a cache maybe"
                                               : "reads";
    case model::roof_bound::none:
      return absence_words(point.roof_ratio);
  }
  return "?";
}

word_row row_of(const model::roofline_point& point, model::read_tier tier) {
  return {{{point_words(point)},
           {duration_words(point.busy_ns), static_cast<double>(point.busy_ns)},
           cell(point.operations, amount_words),
           cell(point.ledger_intensity, intensity_words),
           cell(point.told_intensity, intensity_words),
           {point.is_by_several ? "several kinds" : arithmetic_words(point.by)},
           cell(point.operations_per_s, operation_rate_words),
           cell(point.roof_operations_per_s, operation_rate_words),
           cell(point.roof_ratio, percent_words),
           {bound_words(point, tier)}},
          word_tone::plain};
}

std::string ceiling_words(const model::arithmetic_line& line) {
  if (!line.operations_per_s.is_present)
    return fmt::format("Arithmetic by {}: unmeasured, {}.", arithmetic_words(line.by),
                       absence_words(line.operations_per_s));
  std::string words =
      fmt::format("Arithmetic by {}: {}, {}; {} samples in this run.", arithmetic_words(line.by),
                  operation_rate_words(number_of(line.operations_per_s)), line.how,
                  with_separators(line.samples));
  if (line.ridge_intensity.is_present)
    words += fmt::format(" Its ridge lies at {}: below it reads bind, above it arithmetic.",
                         intensity_words(number_of(line.ridge_intensity)));
  return words;
}

bool is_any_told(const model::roofline& roof) {
  return std::any_of(roof.points.begin(), roof.points.end(),
                     [](const auto& each) { return each.told_intensity.is_present; });
}

const model::roofline_point* decode_of(const model::roofline& roof) {
  const auto found = std::find_if(roof.points.begin(), roof.points.end(), [](const auto& each) {
    return each.is_total && !each.is_prefill;
  });
  return found == roof.points.end() ? nullptr : &*found;
}

// Of decode as a whole, where its row has to be read otherwise than those of its operators.
void add_decode_notes(const model::roofline& roof, word_table& to) {
  const model::roofline_point* decode = decode_of(roof);
  if (decode == nullptr) return;
  if (decode->lengths_ns > decode->busy_ns)
    to.notes.push_back(fmt::format(
        "Launches overlap: the lengths of decode's add up to {}, and a kernel ran for {}. One that "
        "begins early waits within its own record for the one before: its operator's rate is a "
        "lower bound. \"{}\" has the time in which a kernel ran.",
        duration_words(decode->lengths_ns), duration_words(decode->busy_ns), point_words(*decode)));
}

void add_mixed_notes(const model::roofline& roof, word_table& to) {
  std::string names;
  for (const model::roofline_point& each : roof.points)
    if (each.is_by_several && each.bound == model::roof_bound::reads)
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", point_words(each));
  if (names.empty()) return;
  to.notes.push_back(
      fmt::format("Held against reads alone: {}. Several kinds of arithmetic are used there, which "
                  "at their ceilings, one after the other, take less time.",
                  names));
}

void add_notes(const model::investigation& report, word_table& to) {
  const model::roofline& roof = report.roof;
  to.notes.push_back(
      "Operations are those of products by the ledger, two a multiply-add: norms, rotations, "
      "softmax, activations and additions of biases and residuals are not counted. The roof is the "
      "lower of what reads allow at that many operations a byte, and of what arithmetic allows.");
  to.notes.push_back(
      roof.read_bytes_per_s > 0.0
          ? fmt::format("Reads: {}, measured in this run.", bandwidth_words(roof.read_bytes_per_s))
          : "Reads: unmeasured, so that there is no roof.");
  for (const model::arithmetic_line& each : roof.arithmetic)
    to.notes.push_back(ceiling_words(each));
  to.notes.push_back(
      "An operator is held against the fastest arithmetic that its operands allow, by the plan: "
      "matrix units where both have 2 bytes, else f32 multiply-adds. Beyond 100 % it used a faster "
      "unit than was measured, read from nearer, or did not do what was planned.");
  to.notes.push_back(is_any_told(roof)
                         ? "The roof is taken at the bytes that records tell; where they tell "
                           "none, at the ledger's."
                         : "No record tells what was read: the roof is taken at the bytes of the "
                           "ledger.");
  add_decode_notes(roof, to);
  add_mixed_notes(roof, to);
  to.notes.push_back(tier_words(report));
}

}  // namespace

std::string point_words(const model::roofline_point& point) {
  if (!point.is_total) return launch_words(point.which);
  const char* what = point.is_prefill ? "prefill" : "decode";
  if (point.launches >= point.passes) return fmt::format("{}, all launches", what);
  return fmt::format("{}, launches of {} of {} {}", what, with_separators(point.launches),
                     with_separators(point.passes), point.is_prefill ? "passes" : "steps");
}

std::string arithmetic_words(telemetry::arithmetic by) {
  return by == telemetry::arithmetic::f32_fma ? "f32 multiply-adds" : "bf16 matrix units";
}

bool has_roofline(const model::roofline& roof) {
  return std::any_of(roof.points.begin(), roof.points.end(), [](const auto& each) {
    return each.operations.is_present && each.operations.integer > 0;
  });
}

word_table roofline_table(const model::investigation& report) {
  word_table table{
      "roofline", "Roofline: operators against what reads and arithmetic allow", {}, {}, {}, {}};
  table.columns = {{"operator"},
                   {"time", true},
                   {"FLOP", true},
                   {"intensity by the ledger", true},
                   {"intensity by the records", true},
                   {"arithmetic"},
                   {"achieved", true},
                   {"roof", true},
                   {"of the roof", true},
                   {"bound by"}};
  table.absence = "Unmeasured: the trace plans no operations.";
  if (!has_roofline(report.roof)) return table;
  for (const model::roofline_point& each : report.roof.points)
    table.rows.push_back(row_of(each, report.roof.tier));
  add_notes(report, table);
  return table;
}

}  // namespace assay::reports
