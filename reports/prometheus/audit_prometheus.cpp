// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/prometheus/audit_prometheus.h"

#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "reports/prometheus/metric_name.h"

namespace assay::reports {
namespace {

std::string head(std::string_view name, std::string_view help, std::string_view type) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

// Divided only where the unit changes: an integer keeps all its digits.
std::string value_words(const model::quantity& claimed, double divisor) {
  const double real = claimed.is_real ? claimed.real : static_cast<double>(claimed.integer);
  if (!claimed.is_real && divisor == 1.0) return fmt::format("{}", claimed.integer);
  return fmt::format("{}", real / divisor);
}

bool has_number(const model::quantity& claimed) {
  return claimed.is_present && (!claimed.is_real || std::isfinite(claimed.real));
}

std::string absence_of(const model::quantity& claimed) {
  if (claimed.is_present) return "not a finite number";
  return claimed.absence.empty() ? "absent, and no reason was given" : claimed.absence;
}

// Two counters of a foreign trace may come to one name, which would spoil the whole file: the
// second is absent, and says why.
std::string claims(const model::audit_report& report) {
  std::string values;
  std::string absent =
      head("assay_audit_absent", "Counters that claimed no number, and why.", "gauge");
  std::set<std::string> taken;
  for (const auto& line : report.counters) {
    const metric_form form = metric_of(line.name, line.kind, line.unit);
    const bool is_first = taken.insert(form.name).second;
    if (has_number(line.claimed) && is_first) {
      values += head(form.name, "Claimed by the runtime.", form.type) +
                fmt::format("{} {}\n", form.name, value_words(line.claimed, form.divisor));
      continue;
    }
    absent += fmt::format("assay_audit_absent{{counter=\"{}\",reason=\"{}\"}} 1\n",
                          label_escaped(line.name),
                          label_escaped(is_first ? absence_of(line.claimed)
                                                 : "another counter has the same metric name"));
  }
  return values + absent;
}

std::string verdicts(const model::audit_report& report) {
  std::string text = head("assay_audit_verdict", "What the audit says of each counter.", "gauge");
  for (const auto& line : report.counters)
    text +=
        fmt::format("assay_audit_verdict{{counter=\"{}\",verdict=\"{}\",reason=\"{}\"}} 1\n",
                    label_escaped(line.name), to_string(line.verdict), label_escaped(line.reason));
  text += head("assay_audit_counters", "Counters by verdict.", "gauge");
  for (const auto v : {model::verdict::agree, model::verdict::disagree, model::verdict::undecided,
                       model::verdict::unmeasured})
    text += fmt::format("assay_audit_counters{{verdict=\"{}\"}} {}\n", to_string(v),
                        count_of(report, v));
  return text;
}

std::string efforts(const model::audit_report& report) {
  std::string samples =
      head("assay_audit_rule_samples", "Samples that each rule evaluated.", "gauge");
  std::string fired =
      head("assay_audit_rule_findings", "Findings that each rule made or explained.", "gauge");
  for (const auto& rule : report.rules) {
    const std::string label = label_escaped(rule.id);
    samples +=
        fmt::format("assay_audit_rule_samples{{rule=\"{}\"}} {}\n", label, rule.evaluated_samples);
    fired += fmt::format("assay_audit_rule_findings{{rule=\"{}\"}} {}\n", label, rule.fired);
  }
  std::string gates =
      head("assay_audit_gate_holds", "1 where a gate on the ground truth holds.", "gauge");
  for (const auto& gate : report.gates)
    // One that nothing could try neither holds nor fails.
    if (gate.holds || gate.evaluated_samples > 0)
      gates += fmt::format("assay_audit_gate_holds{{gate=\"{}\"}} {}\n", label_escaped(gate.id),
                           gate.holds ? 1 : 0);
  return samples + fired + gates;
}

}  // namespace

std::string audit_as_prometheus(const model::audit_report& report, model::outcome outcome) {
  std::string text = claims(report) + verdicts(report) + efforts(report);
  text +=
      head("assay_audit_exit_code", "0 clean, 1 found, 3 could not measure, 4 undecided.", "gauge");
  text += fmt::format("assay_audit_exit_code {}\n", static_cast<int>(outcome));
  text += head("assay_audit_is_complete", "1 where the trace was closed by its writer.", "gauge");
  return text + fmt::format("assay_audit_is_complete {}\n", report.is_complete ? 1 : 0);
}

}  // namespace assay::reports
