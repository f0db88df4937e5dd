// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/auditor.h"

#include <utility>

#include <fmt/format.h>

#include "harness/audit/report_builder.h"
#include "probes/trace/contract_json.h"

namespace assay::audit {
namespace {

constexpr const char* no_contract =
    "the trace has no contract before its first record or snapshot: write the CONTRACT block first";

void say(std::string& words, std::uint64_t count, const char* what) {
  if (count == 0) return;
  words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, what);
}

std::string malformed_words(const malformed_tally& bad) {
  std::string words;
  say(words, bad.records, "records of no known kind or operation");
  say(words, bad.windows, "windows that do not nest, never end or end before they begin");
  say(words, bad.unsnapped_windows, "windows without a snapshot");
  say(words, bad.observations,
      "observations of no known counter, source or relation, or outside "
      "a window");
  say(words, bad.snapshots, "snapshots of another size than the contract");
  return words.empty() ? words : "malformed: " + words;
}

}  // namespace

result<void> auditor::contract(std::string_view json) {
  if (fold_ != nullptr)
    return ASSAY_FAIL(unusable_input,
                      "the trace has two contracts: keep only the first CONTRACT "
                      "block");
  ASSAY_TRY_ASSIGN(const auto rows, trace::parse_contract(json));
  fold_ = std::make_unique<trace_fold>(specs_of(rows));
  return {};
}

result<void> auditor::facts(std::string_view json) {
  ASSAY_TRY_ASSIGN(auto later, trace::parse_facts(json));
  trace::merge(facts_, std::move(later));
  if (fold_ == nullptr) return {};
  fold_->state_absence_of_records(facts_.records_absence);
  for (const trace::link_ceiling& c : facts_.ceilings)
    fold_->state_ceiling(c.link, {c.soft_bytes_per_s, c.hard_bytes_per_s, c.samples});
  return {};
}

result<void> auditor::records(std::span<const assay_record> records) {
  if (fold_ == nullptr) return ASSAY_FAIL(unusable_input, no_contract);
  for (const assay_record& record : records) fold_->take(record);
  return {};
}

result<void> auditor::snapshot(std::int64_t, std::span<const assay_reading> readings) {
  if (fold_ == nullptr) return ASSAY_FAIL(unusable_input, no_contract);
  fold_->take_snapshot(readings);
  return {};
}

result<void> auditor::end() {
  has_ended_ = true;
  return {};
}

result<model::audit_report> auditor::finish(std::string_view incompleteness) {
  if (fold_ == nullptr) return ASSAY_FAIL(unusable_input, no_contract);
  for (const trace::link_ceiling& c : facts_.ceilings)
    fold_->state_ceiling(c.link, {c.soft_bytes_per_s, c.hard_bytes_per_s, c.samples});
  fold_->state_absence_of_records(facts_.records_absence);
  evidence& folded = fold_->finish();
  folded.clock_rates = facts_.clocks;
  folded.bases = facts_.bases;
  for (counter_evidence& counter : folded.counters) {
    counter.has_one_observer = facts_.has_one_observer;
    if (counter.last_state != telemetry::reading_state::not_applicable) continue;
    const std::size_t at = counter.last_reason;
    counter.absence_reason = at >= 1 && at <= facts_.reasons.size()
                                 ? facts_.reasons[at - 1]
                                 : "not applicable, for a reason that the facts do not have";
  }
  model::audit_report report = judge(folded, facts_, rules_);
  report.is_complete = has_ended_ && incompleteness.empty();
  report.incompleteness = incompleteness;
  if (!has_ended_ && incompleteness.empty())
    report.incompleteness = "the trace has no END block: the run was cut off";
  if (const std::string bad = malformed_words(folded.malformed); !bad.empty())
    report.incompleteness += (report.incompleteness.empty() ? "" : "; ") + bad;
  return report;
}

}  // namespace assay::audit
