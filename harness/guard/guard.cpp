// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/guard.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace assay::guard {
namespace {

constexpr std::array table{
    check{"input", "", "a line that is none, a series twice, a time in the future", check_input},
    check{"undeclared", "R26", "published and not promised", check_undeclared},
    check{"never-written", "R25", "promised and in no snapshot", check_never_written},
    check{"never-moved", "R13", "exercised and standing still", check_never_moved},
    check{"wrong-kind", "R11", "a gauge that calls itself a counter, and the reverse", check_kind},
    check{"unit-in-name", "R10", "a name that says another unit", check_unit_in_name},
    check{"range", "R12", "outside its limits, no number, or a mark for none", check_range},
    check{"histogram", "R13", "buckets that do not add up, observations of 0", check_histogram},
    check{"balance", "R07", "an equation that does not hold", check_balance},
    check{"ratio", "R24", "a ratio that its parts do not give", check_ratio},
    check{"undocumented", "R26", "promised and in no document", check_undocumented},
    check{"documented-absent", "R26", "documented and not there", check_documented_absent},
    check{"documented-otherwise", "R11", "another kind or unit on another page",
          check_documented_otherwise},
    check{"no-writer", "R25", "promised and no string of the source", check_no_writer},
    check{"variable-unread", "R27", "documented and not read", check_variable_unread},
    check{"variable-undocumented", "R27", "read and not documented", check_variable_undocumented},
};

// A terminal takes that many; all are counted.
constexpr std::size_t most_listed = 1000;

std::string key_of(std::string_view check, std::string_view subject) {
  return fmt::format("{}\n{}", check, subject);
}

// What is known is a warning, and stays one as long as it is found.
void tell_known(const model::guard_contract& contract, model::guard_report& report) {
  if (contract.known.empty()) return;
  std::unordered_multimap<std::string, std::size_t> found_at;
  for (std::size_t at = 0; at < report.findings.size(); ++at)
    found_at.emplace(key_of(report.findings[at].check, report.findings[at].subject), at);
  for (const auto& known : contract.known) {
    const auto [first, last] = found_at.equal_range(key_of(known.check, known.name));
    const bool is_found = first != last;
    for (auto each = first; each != last; ++each) {
      auto& found = report.findings[each->second];
      if (found.severity == model::severity::warning) continue;
      found.severity = model::severity::warning;
      found.message += fmt::format(" (known: {})", known.reason);
    }
    const bool was_looked_at = std::any_of(
        report.checks.begin(), report.checks.end(),
        [&](const model::guard_check& c) { return c.name == known.check && c.evaluated > 0; });
    if (is_found || !was_looked_at) continue;
    model::guard_finding stale;
    stale.check = known.check;
    stale.severity = model::severity::warning;
    stale.subject = known.name;
    stale.message = fmt::format(
        "{} is known to {}, and nothing was found: take the entry out, it would hide the next one",
        known.name, known.check);
    stale.where = place_of(contract.source, known.line);
    report.findings.push_back(std::move(stale));
  }
}

void list_skipped(std::span<const model::exposition> snapshots, model::guard_report& report) {
  for (const auto& snapshot : snapshots)
    for (const auto& problem : snapshot.problems) {
      if (!problem.is_skipped && !problem.is_part) continue;
      (problem.is_skipped ? report.skipped_count : report.skipped_value_count) += problem.lines;
      if (report.skipped.size() < most_listed)
        report.skipped.push_back({place_of(snapshot.source, problem.line), problem.what});
    }
}

void add_facts(const subject& of, model::guard_report& report) {
  report.facts.push_back({"contract", of.contract->source});
  for (const auto& snapshot : of.snapshots)
    report.facts.push_back(
        {"metrics", fmt::format("{}, {}, {} samples", snapshot.from().source,
                                snapshot.from().format, snapshot.from().samples.size())});
  const auto heap = [&](const char* name, const name_book* book) {
    if (book == nullptr) return;
    report.facts.push_back(
        {name, fmt::format("{} files, {} lines", book->file_count(), book->line_count())});
  };
  heap("documents", of.documents);
  heap("source", of.source);
}

}  // namespace

std::span<const check> checks() {
  return table;
}

model::guard_report judge(const model::guard_contract& contract,
                          std::span<const model::exposition> snapshots, const name_book* documents,
                          const name_book* source, std::span<const check> with) {
  subject of;
  of.contract = &contract;
  of.documents = documents;
  of.source = source;
  for (const auto& snapshot : snapshots) of.snapshots.emplace_back(snapshot);
  model::guard_report report;
  report.promise_count =
      contract.metrics.size() + contract.balances.size() + contract.ratios.size();
  for (const auto& snapshot : snapshots) report.sample_count += snapshot.samples.size();
  for (const check& each : with) {
    check_log log(each.name);
    each.run(of, log);
    std::move(log).move_into(report);
  }
  tell_known(contract, report);
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const auto& a, const auto& b) { return a.severity < b.severity; });
  list_skipped(snapshots, report);
  add_facts(of, report);
  return report;
}

}  // namespace assay::guard
