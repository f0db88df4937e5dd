// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json/audit_json.h"

#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

namespace assay::reports {
namespace {

using json = nlohmann::ordered_json;

// Bumped when a key changes its meaning or goes; a new key does not bump it.
constexpr int schema_version = 1;

json quantity_json(const model::quantity& quantity) {
  json out = json::object();
  if (quantity.is_present && !quantity.is_real) {
    out["value"] = quantity.integer;
  } else if (quantity.is_present && std::isfinite(quantity.real)) {
    out["value"] = quantity.real;
  } else if (quantity.is_present) {
    out["absence"] = "not a finite number";
  } else {
    out["absence"] =
        quantity.absence.empty() ? "absent, and no reason was given" : quantity.absence;
  }
  return out;
}

// A ceiling of 0 means unknown, and 0 in its place would be a bound that everything breaks.
json ceiling_json(double bytes_per_s, const std::string& reason) {
  return quantity_json({.is_present = bytes_per_s > 0.0,
                        .is_real = true,
                        .integer = 0,
                        .real = bytes_per_s,
                        .absence = reason});
}

json to_object(const model::fact& fact) {
  return {{"name", fact.name}, {"value", fact.value}};
}

json to_object(const model::reference& reference) {
  const bool is_judged = !reference.is_void && reference.compared_windows > 0;
  json out{{"source", reference.source},
           {"relation", reference.relation},
           {"claimed", quantity_json(reference.claimed)},
           {"observed", quantity_json(reference.observed)},
           {"compared_windows_count", reference.compared_windows},
           {"is_void", reference.is_void}};
  if (reference.is_void) out["void_reason"] = reference.void_reason;
  if (is_judged) out["holds"] = reference.holds;
  return out;
}

json to_object(const model::counter_line& line) {
  json out{{"name", line.name},
           {"unit", line.unit},
           {"kind", line.kind},
           {"verdict", to_string(line.verdict)},
           {"claimed", quantity_json(line.claimed)}};
  json& references = out["references"] = json::array();
  for (const auto& reference : line.references) references.push_back(to_object(reference));
  out["reason"] = line.reason;
  return out;
}

json to_object(const model::explanation& explanation) {
  return {{"rule", explanation.rule},
          {"rule_name", explanation.rule_name},
          {"message", explanation.message},
          {"distance_ratio", explanation.distance_ratio}};
}

json to_object(const model::finding& finding, std::string_view unit) {
  json out{{"rule", finding.rule},
           {"rule_name", finding.rule_name},
           {"severity", to_string(finding.severity)},
           {"subject", finding.subject},
           {"message", finding.message},
           {"claimed", quantity_json(finding.claimed)},
           {"observed", quantity_json(finding.observed)},
           {"unit", unit},
           {"likely_cause", finding.likely_cause},
           {"first_window", finding.where},
           {"windows_count", finding.window_count}};
  json& explanations = out["explanations"] = json::array();
  for (const auto& each : finding.explanations) explanations.push_back(to_object(each));
  return out;
}

json to_object(const model::rule_line& rule) {
  return {{"id", rule.id},
          {"name", rule.name},
          {"evaluated_samples_count", rule.evaluated_samples},
          {"fired_count", rule.fired},
          {"explains", rule.is_explainer}};
}

json to_object(const model::gate_line& gate) {
  return {{"id", gate.id},
          {"name", gate.name},
          {"holds", gate.holds},
          {"evaluated_samples_count", gate.evaluated_samples},
          {"detail", gate.detail}};
}

json to_object(const model::unclaimed_line& line) {
  return {{"activity", line.activity},
          {"records_count", line.records},
          {"bytes", line.bytes},
          {"device_ns", line.device_ns}};
}

json to_object(const model::ceiling_line& ceiling) {
  return {{"link", ceiling.link},
          {"soft_bytes_per_s", ceiling_json(ceiling.soft_bytes_per_s, ceiling.reason)},
          {"hard_bytes_per_s", ceiling_json(ceiling.hard_bytes_per_s, ceiling.reason)},
          {"samples_count", ceiling.samples}};
}

template <class Row>
json to_array(const std::vector<Row>& rows) {
  json out = json::array();
  for (const auto& row : rows) out.push_back(to_object(row));
  return out;
}

json summary_json(const model::audit_report& report) {
  json out = json::object();
  out["counters_count"] = report.counters.size();
  for (const auto verdict : {model::verdict::agree, model::verdict::disagree,
                             model::verdict::undecided, model::verdict::unmeasured})
    out[std::string(to_string(verdict)) + "_count"] = count_of(report, verdict);
  out["findings_count"] = report.findings.size();
  out["records_count"] = report.record_count;
  out["windows_count"] = report.window_count;
  return out;
}

}  // namespace

std::string audit_as_json(const model::audit_report& report, model::outcome outcome) {
  json out{{"schema_version", schema_version},
           {"outcome", to_string(outcome)},
           {"exit_code", static_cast<int>(outcome)},
           {"is_complete", report.is_complete}};
  if (!report.is_complete)
    out["incompleteness"] = report.incompleteness.empty() ? "the writer did not close the trace"
                                                          : report.incompleteness;
  out["summary"] = summary_json(report);
  out["counters"] = to_array(report.counters);
  json& findings = out["findings"] = json::array();
  for (const auto& each : report.findings)
    findings.push_back(to_object(each, model::unit_of(report, each)));
  out["rules"] = to_array(report.rules);
  out["gates"] = to_array(report.gates);
  out["unclaimed"] = to_array(report.unclaimed);
  out["ceilings"] = to_array(report.ceilings);
  out["facts"] = to_array(report.facts);
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::reports
