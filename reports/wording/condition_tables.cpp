// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/condition_tables.h"

#include <fmt/format.h>

#include "reports/model/condition_difference.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

word_cell value_cell(std::int64_t value, const std::string& unit) {
  return {condition_words(value, unit), static_cast<double>(value)};
}

word_row row_of(const model::condition_line& line) {
  const word_cell none{"-"};
  const word_cell name{line.name};
  if (line.samples == 0)
    return {{{"absent"}, name, {"0", 0.0}, none, none, none, none, none, {line.absence}},
            word_tone::calm};
  const bool is_level = line.kind == "level";
  const bool is_set = line.kind == "bits";
  const auto of_level = [&](std::int64_t value) {
    return is_level ? value_cell(value, line.unit) : none;
  };
  const bool has_extremes = is_level || (!is_set && line.samples > 1);
  return {{{line.is_flagged  ? "CHANGED"
            : line.has_bound ? "steady"
                             : "seen"},
           name,
           {with_separators(line.samples), static_cast<double>(line.samples)},
           of_level(line.first),
           of_level(line.last),
           has_extremes ? value_cell(line.least, line.unit) : none,
           has_extremes ? value_cell(line.most, line.unit) : none,
           is_level || is_set || line.samples < 2 ? none : value_cell(line.gained, line.unit),
           {line.reads_as}},
          line.is_flagged ? word_tone::doubt : word_tone::plain};
}

// What a run was like in a few words.
std::string state_words(const model::condition_line& line) {
  if (line.samples == 0) return "absent: " + line.absence;
  if (line.kind == "bits") return line.reads_as;
  if (line.kind == "total")
    return fmt::format("gained {}: {}", condition_words(line.gained, line.unit), line.reads_as);
  return fmt::format("{} to {}", condition_words(line.least, line.unit),
                     condition_words(line.most, line.unit));
}

const model::condition_line* find_line(const model::investigation& in, const std::string& name) {
  for (const model::condition_line& each : in.conditions)
    if (each.name == name) return &each;
  return nullptr;
}

std::string when_words(const std::vector<model::condition_line>& lines) {
  std::uint64_t in_passes = 0;
  for (const model::condition_line& each : lines) in_passes += each.samples_in_passes;
  if (in_passes == 0)
    return "Sampled before the run, between requests and behind it, never while a pass is timed.";
  return fmt::format(
      "Of the samples {} {} taken while a pass was timed: what taking them took is in its time.",
      with_separators(in_passes), in_passes == 1 ? "was" : "were");
}

}  // namespace

std::vector<word_row> machine_rows(const model::investigation& first,
                                   const model::investigation& second) {
  std::vector<word_row> rows;
  for (const model::condition_line& one : first.conditions) {
    const model::condition_line* other = find_line(second, one.name);
    if (other == nullptr || model::is_apart(one, *other))
      rows.push_back({{{one.name},
                       {state_words(one)},
                       {other == nullptr ? "not stated" : state_words(*other)}},
                      word_tone::plain});
  }
  for (const model::condition_line& other : second.conditions)
    if (find_line(first, other.name) == nullptr)
      rows.push_back({{{other.name}, {"not stated"}, {state_words(other)}}, word_tone::plain});
  return rows;
}

std::string condition_words(std::int64_t value, std::string_view unit) {
  const auto real = static_cast<double>(value);
  if (unit == "hz")
    return value >= 1'000'000'000 ? fmt::format("{:.3f} GHz", real / 1e9)
                                  : fmt::format("{:.0f} MHz", real / 1e6);
  if (unit == "milli") return fmt::format("{:.2f}", real / 1e3);
  if (unit == "milliwatt") return fmt::format("{:.1f} W", real / 1e3);
  if (unit == "celsius") return fmt::format("{} °C", value);
  // A level that moves by itself: its digits would say no more.
  if (unit == "bytes") return fmt::format("{:.3f} GiB", real / (1024.0 * 1024 * 1024));
  return quantity_words({true, false, value, 0.0, {}}, unit, "gauge");
}

word_table machine_table(const model::investigation& report) {
  word_table table{"machine", "The machine's state during the run", {}, {}, {}, {}};
  table.columns = {{"verdict"},     {"condition"},    {"samples", true},
                   {"first", true}, {"last", true},   {"least", true},
                   {"most", true},  {"gained", true}, {"reads as"}};
  table.absence = "The trace holds no sample of it.";
  for (const model::condition_line& each : report.conditions) table.rows.push_back(row_of(each));
  if (table.rows.empty()) return table;
  table.notes.push_back(when_words(report.conditions) +
                        " What is counted since long ago has what it gained, and the least and the "
                        "most between two samples.");
  return table;
}

}  // namespace assay::reports
