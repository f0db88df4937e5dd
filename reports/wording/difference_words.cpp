// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/difference_words.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/wording/condition_tables.h"
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
    case difference_verdict::apart:
      return word_tone::doubt;
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
  if (step.verdict == difference_verdict::apart)
    return fmt::format(
        "The decode steps of these two runs differ: second less first {}, between {} and {}. "
        "Whether the program or its process made that, two runs cannot tell.",
        change_words(step), signed_words(step.low_ns), signed_words(step.high_ns));
  return fmt::format("The decode step is {} in the second: {}, between {} and {}.",
                     to_string(step.verdict), change_words(step), signed_words(step.low_ns),
                     signed_words(step.high_ns));
}

// A time of one run a side has no larger and no smaller: see difference_verdict.
std::string times_words(const model::investigation_difference& report) {
  if (report.times.empty()) return "no time can be compared";
  const std::uint64_t open = number_of(report.times, difference_verdict::cannot_tell);
  if (!has_repeated_runs(report))
    return fmt::format(
        "of {} times {} differ between these two runs, and of {} this data can show "
        "no difference",
        report.times.size(), number_of(report.times, difference_verdict::apart), open);
  return fmt::format(
      "of {} times {} are larger, {} smaller, and of {} this data can show no difference",
      report.times.size(), number_of(report.times, difference_verdict::larger),
      number_of(report.times, difference_verdict::smaller), open);
}

std::string rows_words(const model::investigation_difference& report) {
  const auto unequal =
      std::count_if(report.counts.begin(), report.counts.end(),
                    [](const auto& each) { return each.verdict == difference_verdict::differs; });
  const char* ids = report.token_ids == difference_verdict::same      ? "the token ids are the same"
                    : report.token_ids == difference_verdict::differs ? "THE TOKEN IDS DIFFER"
                    : report.runs.size() > 2 ? "whether token ids differ cannot be told"
                                             : "token ids are not stated";
  return fmt::format("{} of {} exact amounts differ, {}; {}.", unequal, report.counts.size(), ids,
                     times_words(report));
}

std::string aligned_words(const model::investigation_difference& report) {
  const std::string repeats = has_repeated_runs(report)
                                  ? fmt::format("in {} runs of the first and {} of the second",
                                                runs_of(report, false), runs_of(report, true))
                                  : fmt::format("in {} stretches", with_separators(report.repeats));
  return fmt::format(
      "{} steps are aligned by what they did, {}; {} did other work than their counterparts, {} "
      "have none.",
      with_separators(report.aligned_steps), repeats, with_separators(report.other_work_steps),
      with_separators(report.one_sided_steps));
}

std::string rules_words(const model::run_line& run) {
  std::string words;
  for (const std::string& each : run.rules) words += (words.empty() ? "" : ", ") + each;
  return words;
}

std::string run_doubt(const model::run_line& run) {
  return fmt::format("Run {} of the {}: its audit says {}{}.", run.number,
                     run.is_second ? "second" : "first", to_string(run.audit),
                     run.rules.empty() ? "" : ", by " + rules_words(run));
}

std::vector<std::string> headline_of(const model::investigation_difference& report) {
  std::vector<std::string> lines;
  for (const auto& [name, side] :
       {std::pair{"first", &report.first}, std::pair{"second", &report.second}})
    if (is_headline_warning(*side))
      lines.push_back(fmt::format("Of the {}: {}", name, investigation_headline(*side).front()));
  for (const model::run_line& each : report.runs)
    if (each.number > 1 && each.audit != model::outcome::clean) lines.push_back(run_doubt(each));
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

std::string times_note(const model::investigation_difference& report) {
  const std::string level = fmt::format(
      "with a confidence of {:.2f} % a row, which makes 95 % for all {} rows together. A change "
      "counts from 2 % and from {} on: no time here is known finer.",
      report.level_ratio * 100.0, report.times.size(),
      has_repeated_runs(report) ? "500 ns" : "2 µs");
  if (!has_repeated_runs(report))
    return "Steps of both that launched and read the same. First and second are medians; the "
           "change is the median over stretches of eight steps, and lies between at least and at "
           "most " +
           level +
           " Each side is one run, and what machine and placement do to a whole process is in no "
           "interval here: two runs of one program differ as these may, so no time is called "
           "larger or smaller.";
  return "Steps that launched and read the same in every run. A run counts once: the step and its "
         "parts by their median, a launch by the length that a twentieth of its steps stay below, "
         "where nothing got in its way. First and second are the middle of their runs, the change "
         "is the shift between them "
         "(Hodges and Lehmann), and lies between at least and at most " +
         level +
         " At the others' pace means that a launch was measured by the other launches of the same "
         "step, the long ones that are not told apart themselves, and counts by its median: a step "
         "or a process that is slow in all that it does shows no difference there.";
}

std::string subject_words(const model::timed_difference& row) {
  return row.is_paced ? row.subject + ", at the others' pace" : row.subject;
}

word_table runs_table(const model::investigation_difference& report) {
  word_table table{"runs", "Runs of both sides", {}, {}, {}, {}};
  table.columns = {{"audit"}, {"side"}, {"run", true}, {"median step", true}, {"rules"}};
  for (const model::run_line& each : report.runs)
    table.rows.push_back(
        {{{std::string(to_string(each.audit))},
          {each.is_second ? "second" : "first"},
          {std::to_string(each.number), static_cast<double>(each.number)},
          {duration_words(each.step_ns), static_cast<double>(each.step_ns)},
          {each.rules.empty() ? "-" : rules_words(each)}},
         each.audit == model::outcome::clean ? word_tone::good : word_tone::doubt});
  return table;
}

word_table times_table(const model::investigation_difference& report) {
  word_table table{"times", "A decode step, second less first", {}, {}, {}, {}};
  table.columns = {{"verdict"},      {"time"},           {"first", true},   {"second", true},
                   {"change", true}, {"at least", true}, {"at most", true}, {"counts from", true},
                   {"what it is"}};
  table.absence = "No step is aligned: there is nothing to compare.";
  if (report.times.empty()) return table;
  table.notes.push_back(times_note(report));
  const auto time = [](std::int64_t ns) {
    return word_cell{duration_words(ns), static_cast<double>(ns)};
  };
  for (const model::timed_difference& each : report.times) {
    const auto bound = [&](std::int64_t ns) {
      return each.has_interval ? word_cell{signed_words(ns), static_cast<double>(ns)}
                               : word_cell{"-"};
    };
    table.rows.push_back({{{std::string(to_string(each.verdict))},
                           {subject_words(each)},
                           time(each.first_ns),
                           time(each.second_ns),
                           {change_words(each), static_cast<double>(each.change_ns)},
                           bound(each.low_ns),
                           bound(each.high_ns),
                           time(each.margin_ns),
                           {each.is_paced ? "length of its records, by the step's other launches"
                            : each.is_launch && has_repeated_runs(report)
                                ? "length of its records in the quickest steps"
                            : each.is_launch ? "length of its records"
                                             : "of the step's wall time"}},
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
  for (const auto wanted :
       {difference_verdict::differs, difference_verdict::cannot_tell, difference_verdict::same})
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
  for (word_row& each : machine_rows(report.first, report.second))
    table.rows.push_back(std::move(each));
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
  out.is_warning =
      report.aligned_steps == 0 ||
      std::any_of(report.runs.begin(), report.runs.end(), [](const model::run_line& each) {
        return each.audit != model::outcome::clean || !each.rules.empty();
      });
  out.tables = {times_table(report), counts_table(report), facts_table(report),
                verdicts_table(report)};
  if (has_repeated_runs(report)) out.tables.insert(out.tables.begin() + 1, runs_table(report));
  out.blind_spots = report.blind_spots;
  return out;
}

}  // namespace assay::reports
