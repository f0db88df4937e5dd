// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/report_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/coverage.h"
#include "harness/audit/explain.h"
#include "harness/audit/gates.h"
#include "harness/audit/r07_conservation.h"
#include "harness/audit/verdict.h"
#include "harness/audit/wording.h"
#include "runtime/telemetry/catalog.h"

namespace assay::audit {
namespace {

void run_rules(const evidence& from, std::span<const rule> with, rule_role round, void_map& voids,
               model::audit_report& report) {
  for (const rule& one : with) {
    if (one.role != round) continue;
    rule_outcome outcome = one.run(from, voids);
    report.rules.push_back(
        {std::string(one.id), std::string(one.name), outcome.evaluated, outcome.findings.size()});
    std::move(outcome.findings.begin(), outcome.findings.end(),
              std::back_inserter(report.findings));
  }
}

number near_number(double value, bool is_real) {
  if (is_real) return number::of_real(value);
  return number::of(static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18)));
}

void fill_figures(const counter_evidence& counter, const reference_evidence& from,
                  model::reference& out) {
  const bool is_level = !counter.spec.is_cumulative();
  if (from.relation == ASSAY_EQUAL) {
    out.claimed = quantity_of(is_level ? from.exact.last_claimed : from.exact.claimed);
    out.observed = quantity_of(is_level ? from.exact.last_observed : from.exact.observed);
  } else if (from.relation == ASSAY_NEAR) {
    const bool is_real = counter.spec.is_real();
    const double count =
        is_level ? static_cast<double>(std::max<std::uint64_t>(from.near.compared(), 1)) : 1.0;
    out.claimed = quantity_of(near_number(from.near.claimed() / count, is_real));
    // Of an interval the end that the claim lies beyond: the other one would flatter or damn it.
    const double end = from.near.claimed() > from.near.high() ? from.near.high() : from.near.low();
    out.observed = quantity_of(near_number(end / count, is_real));
  } else {
    const double count =
        is_level ? static_cast<double>(std::max<std::uint64_t>(from.bound.compared, 1)) : 1.0;
    const bool is_real = counter.spec.is_real();
    out.claimed =
        quantity_of(is_level ? near_number(from.bound.claimed.as_double() / count, is_real)
                             : from.bound.claimed);
    out.observed = quantity_of(is_level ? near_number(from.bound.bound.as_double() / count, is_real)
                                        : from.bound.bound);
  }
}

model::reference reference_line(const counter_evidence& counter, const reference_evidence& from) {
  model::reference out;
  out.source = source_name(from.source);
  out.relation = relation_name(from.relation);
  out.compared_windows = from.compared();
  out.disturbed_windows = from.relation == ASSAY_NEAR ? from.near.excluded() : 0;
  out.is_void = from.is_void();
  out.void_reason = from.void_reason;
  out.holds = from.holds();
  fill_figures(counter, from, out);
  return out;
}

// A level has moved on since it was last compared; what stands beside the references is what it
// was then, or on average where they are averages too.
model::quantity claimed_quantity(const counter_evidence& counter) {
  if (!counter.spec.is_cumulative()) {
    for (const reference_evidence& reference : counter.references) {
      if (reference.relation == ASSAY_EQUAL && reference.exact.compared > 0)
        return quantity_of(reference.exact.last_claimed);
      if (reference.relation >= ASSAY_AT_MOST && reference.bound.compared > 0)
        return quantity_of(near_number(
            reference.bound.claimed.as_double() / static_cast<double>(reference.bound.compared),
            counter.spec.is_real()));
    }
  }
  if (counter.was_measured) return quantity_of(counter.claimed);
  if (!counter.absence_reason.empty()) return absent(counter.absence_reason);
  return absent(std::string(telemetry::to_string(counter.last_state)));
}

model::counter_line counter_line_of(const counter_evidence& counter,
                                    std::span<const model::finding> findings) {
  model::counter_line line;
  line.name = counter.spec.name;
  line.unit = to_string(counter.spec.unit);
  line.kind = telemetry::to_string(counter.spec.kind);
  line.claimed = claimed_quantity(counter);
  for (const reference_evidence& reference : counter.references)
    if (reference.compared() > 0 || reference.is_void())
      line.references.push_back(reference_line(counter, reference));
  decision decided = decide(counter, findings);
  line.verdict = decided.verdict;
  line.reason = std::move(decided.reason);
  return line;
}

void list_unclaimed(const evidence& from, model::audit_report& report) {
  for (const int at : coverage_of(from).unclaimed) {
    const cell_totals& totals = from.totals[static_cast<std::size_t>(at)];
    report.unclaimed.push_back({cell_name(at), totals.records, totals.bytes, totals.device_ns});
  }
}

void list_ceilings(const evidence& from, const trace::run_facts& facts,
                   model::audit_report& report) {
  using telemetry::link_class;
  for (std::size_t number = 1; number < link_classes; ++number) {
    const auto link = static_cast<link_class>(number);
    const ceiling c = from.ceilings.of(link);
    model::ceiling_line line{
        link_name(link), c.soft_bytes_per_s, c.hard_bytes_per_s, c.samples, {}};
    bool is_stated = false;
    for (const trace::link_ceiling& stated : facts.ceilings) {
      if (stated.link != link) continue;
      is_stated = true;
      line.reason = stated.reason;
    }
    if (!is_stated && c.samples == 0) continue;
    if (line.reason.empty() && c.hard_bytes_per_s == 0.0)
      line.reason = "the trace states no physical bound";
    report.ceilings.push_back(std::move(line));
  }
}

// As the table of rules has them, whichever ran first.
void sort_lines(std::span<const rule> with, std::vector<model::rule_line>& lines) {
  const auto place_of = [&](const model::rule_line& line) {
    return std::find_if(with.begin(), with.end(), [&](const rule& r) { return r.id == line.id; });
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const model::rule_line& a, const model::rule_line& b) {
                     return place_of(a) < place_of(b);
                   });
}

void sort_findings(std::vector<model::finding>& findings) {
  // Stable: within a severity, the order of the rules and of the contract.
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const model::finding& a, const model::finding& b) { return a.severity < b.severity; });
}

}  // namespace

model::audit_report judge(evidence& from, const trace::run_facts& facts,
                          std::span<const rule> with) {
  model::audit_report report;
  void_map voids;
  report.gates = {gate_inequalities(from, voids), gate_sentinels(from, voids), gate_clocks(from),
                  gate_completeness(from)};
  if (auto line = gate_link_bytes(from, facts, voids)) report.gates.push_back(std::move(*line));
  run_rules(from, with, rule_role::voids, voids, report);
  apply(voids, from);
  doubt_unbalanced(from);
  run_rules(from, with, rule_role::judges, voids, report);
  for (model::rule_line& line : attach_explanations(from, with, report.findings))
    report.rules.push_back(std::move(line));
  sort_lines(with, report.rules);
  sort_findings(report.findings);
  for (const counter_evidence& counter : from.counters)
    report.counters.push_back(counter_line_of(counter, report.findings));
  list_unclaimed(from, report);
  list_ceilings(from, facts, report);
  for (const trace::named_fact& fact : facts.facts) report.facts.push_back({fact.name, fact.value});
  for (const std::string& note : facts.notes) report.facts.push_back({"note", note});
  report.record_count = from.record_count;
  report.window_count = from.window_count;
  return report;
}

}  // namespace assay::audit
