// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/difference_words.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/wording/investigation_words.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

using model::difference_verdict;

std::uint64_t number_of(const std::vector<model::timed_difference>& rows,
                        difference_verdict verdict) {
  return static_cast<std::uint64_t>(std::count_if(
      rows.begin(), rows.end(), [verdict](const auto& each) { return each.verdict == verdict; }));
}

std::string signed_words(std::int64_t ns) {
  return ns < 0 ? "-" + duration_words(-ns) : "+" + duration_words(ns);
}

std::string change_words(const model::timed_difference& row) {
  if (row.change_ns == 0) return "0 ns";
  if (row.first_ns <= 0) return signed_words(row.change_ns);
  return fmt::format(
      "{} ({:+.2f} %)", signed_words(row.change_ns),
      100.0 * static_cast<double>(row.change_ns) / static_cast<double>(row.first_ns));
}

word_tone tone_of(difference_verdict verdict) {
  switch (verdict) {
    case difference_verdict::larger:
    case difference_verdict::differs:
      return word_tone::bad;
    case difference_verdict::smaller:
      return word_tone::good;
    case difference_verdict::same:
    case difference_verdict::cannot_tell:
      return word_tone::calm;
  }
  return word_tone::plain;
}

std::string step_words(const model::investigation_difference& report) {
  if (report.aligned_steps == 0)
    return "NOT COMPARABLE: no decode step of one run did the work of a step of the other.";
  const model::timed_difference& step = report.times.front();
  if (step.verdict == difference_verdict::cannot_tell)
    return step.has_interval
               ? fmt::format(
                     "The decode step: no difference that this data can show; between {} "
                     "and {} of {}.",
                     signed_words(step.low_ns), signed_words(step.high_ns),
                     duration_words(step.first_ns))
               : std::string("The decode step: no difference that this data can show.");
  return fmt::format(
      "The decode step is {} in the second: {}, between {} and {}. Whether the program "
      "or its process made that, one pair of runs cannot tell.",
      to_string(step.verdict), change_words(step), signed_words(step.low_ns),
      signed_words(step.high_ns));
}

std::string rows_words(const model::investigation_difference& report) {
  const auto unequal =
      std::count_if(report.counts.begin(), report.counts.end(),
                    [](const auto& each) { return each.verdict == difference_verdict::differs; });
  const char* ids = report.token_ids == difference_verdict::same      ? "the token ids are the same"
                    : report.token_ids == difference_verdict::differs ? "THE TOKEN IDS DIFFER"
                                                                      : "token ids are not stated";
  return fmt::format(
      "{} of {} exact amounts differ, {}; of {} times {} are larger, {} smaller, and of {} this "
      "data "
      "can show no difference.",
      unequal, report.counts.size(), ids, report.times.size(),
      number_of(report.times, difference_verdict::larger),
      number_of(report.times, difference_verdict::smaller),
      number_of(report.times, difference_verdict::cannot_tell));
}

std::string aligned_words(const model::investigation_difference& report) {
  return fmt::format(
      "{} steps are aligned by what they did, in {} stretches; {} did other work than their "
      "counterparts, {} have none.",
      with_separators(report.aligned_steps), with_separators(report.repeats),
      with_separators(report.other_work_steps), with_separators(report.one_sided_steps));
}

std::vector<std::string> headline_of(const model::investigation_difference& report) {
  std::vector<std::string> lines;
  for (const auto& [name, side] :
       {std::pair{"first", &report.first}, std::pair{"second", &report.second}})
    if (is_headline_warning(*side))
      lines.push_back(fmt::format("Of the {}: {}", name, investigation_headline(*side).front()));
  lines.push_back(step_words(report));
  lines.push_back(rows_words(report));
  lines.push_back(aligned_words(report));
  for (const auto& [name, side] :
       {std::pair{"first", &report.first}, std::pair{"second", &report.second}}) {
    const auto said = investigation_headline(*side);
    // Run, speed and verdict stand last in the headline of one.
    for (std::size_t at = said.size() < 3 ? 0 : said.size() - 3; at < said.size(); ++at)
      lines.push_back(fmt::format("Of the {}: {}", name, said[at]));
  }
  return lines;
}

word_table times_table(const model::investigation_difference& report) {
  word_table table{"times", "A decode step, second less first", {}, {}, {}, {}};
  table.columns = {{"verdict"},      {"time"},           {"first", true},   {"second", true},
                   {"change", true}, {"at least", true}, {"at most", true}, {"counts from", true},
                   {"what it is"}};
  table.absence = "No step is aligned: there is nothing to compare.";
  if (report.times.empty()) return table;
  table.notes.push_back(fmt::format(
      "Steps of both that launched and read the same. First and second are medians; the change is "
      "the median over stretches of eight steps, and lies between at least and at most with a "
      "confidence of {:.2f} % a row, which makes 95 % for all {} rows together. A change counts "
      "from 2 % and from 2 µs on: "
      "no time here is known finer, and against 0 every two processes differ. Each side is one "
      "process: what machine and placement do to a whole process is in no interval here.",
      report.level_ratio * 100.0, report.times.size()));
  const auto time = [](std::int64_t ns) {
    return word_cell{duration_words(ns), static_cast<double>(ns)};
  };
  for (const model::timed_difference& each : report.times) {
    const auto bound = [&](std::int64_t ns) {
      return each.has_interval ? word_cell{signed_words(ns), static_cast<double>(ns)}
                               : word_cell{"-"};
    };
    table.rows.push_back({{{std::string(to_string(each.verdict))},
                           {each.subject},
                           time(each.first_ns),
                           time(each.second_ns),
                           {change_words(each), static_cast<double>(each.change_ns)},
                           bound(each.low_ns),
                           bound(each.high_ns),
                           time(each.margin_ns),
                           {each.is_launch ? "length of its records" : "of the step's wall time"}},
                          tone_of(each.verdict)});
  }
  return table;
}

word_table counts_table(const model::investigation_difference& report) {
  word_table table{"counts", "Exact amounts", {}, {}, {}, {}};
  table.columns = {{"verdict"}, {"amount"}, {"first", true}, {"second", true}};
  table.absence = "Neither trace has an amount.";
  const auto cell = [](const model::quantity& value, const std::string& unit) {
    word_cell out{quantity_words(value, unit, "count")};
    if (is_printable(value)) out.sort_value = static_cast<double>(value.integer);
    return out;
  };
  // Those that differ first; among them the order of the first trace.
  table.rows.push_back({{{std::string(to_string(report.token_ids))},
                         {"token ids that came out, in order"},
                         {"-"},
                         {"-"}},
                        tone_of(report.token_ids)});
  for (const auto wanted : {difference_verdict::differs, difference_verdict::same})
    for (const model::exact_difference& each : report.counts)
      if (each.verdict == wanted)
        table.rows.push_back({{{std::string(to_string(each.verdict))},
                               {each.subject},
                               cell(each.first, each.unit),
                               cell(each.second, each.unit)},
                              tone_of(each.verdict)});
  return table;
}

word_table facts_table(const model::investigation_difference& report) {
  word_table table{"facts", "Conditions that differ", {}, {}, {}, {}};
  table.columns = {{"what"}, {"first"}, {"second"}};
  table.absence = "The two state the same facts.";
  for (const model::fact_difference& each : report.facts)
    table.rows.push_back({{{each.name},
                           {each.first.empty() ? "not stated" : each.first},
                           {each.second.empty() ? "not stated" : each.second}},
                          word_tone::plain});
  return table;
}

word_table verdicts_table(const model::investigation_difference& report) {
  word_table table{"verdicts", "Counters that the two audits judge differently", {}, {}, {}, {}};
  table.columns = {{"counter"}, {"first"}, {"second"}};
  table.absence = "Both audits say the same of every counter.";
  for (const model::counter_line& one : report.first.audit.counters)
    for (const model::counter_line& other : report.second.audit.counters)
      if (one.name == other.name && one.verdict != other.verdict)
        table.rows.push_back({{{one.name},
                               {std::string(to_string(one.verdict))},
                               {std::string(to_string(other.verdict))}},
                              word_tone::doubt});
  return table;
}

}  // namespace

word_document difference_document(const model::investigation_difference& report) {
  word_document out;
  out.title = "Investigation: second against first";
  out.headline = headline_of(report);
  out.is_warning = report.aligned_steps == 0 || is_headline_warning(report.first) ||
                   is_headline_warning(report.second);
  out.tables = {times_table(report), counts_table(report), facts_table(report),
                verdicts_table(report)};
  out.blind_spots = report.blind_spots;
  return out;
}

}  // namespace assay::reports
