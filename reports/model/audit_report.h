// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The result of an audit, as plain structs. harness/audit decides, reports/* render.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::model {

/// What the audit says of a counter. Only these four words appear in code and output.
enum class verdict : std::uint8_t { agree, disagree, undecided, unmeasured };

enum class severity : std::uint8_t { critical, error, warning };

/// A number with its unit, or the reason why there is none. Integers stay integers: bytes are
/// exact.
struct quantity {
  bool is_present = false;
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0.0;
  std::string absence;  ///< why there is no number; empty where there is one
};

/// One reference of a counter: who observed what, and how that relates to the claim.
struct reference {
  std::string source;    ///< device records, ledger, content, …
  std::string relation;  ///< equal, near, at most, at least
  quantity observed;     ///< over everything that was compared
  std::uint64_t compared_windows = 0;
  bool is_void = false;  ///< a gate failed for what it rests on
  std::string void_reason;
  bool holds = false;  ///< meaningful where it is not void and compared_windows > 0
  quantity claimed;    ///< by the counter, over the windows that this reference compared
  std::uint64_t disturbed_windows = 0;  ///< of these, left out because a witness saw disturbance
};

/// One line of the table.
struct counter_line {
  std::string name;
  std::string unit;
  std::string kind;
  quantity claimed;  ///< over the windows that were compared
  std::vector<reference> references;
  model::verdict verdict = model::verdict::unmeasured;
  std::string reason;  ///< why undecided or unmeasured; for a disagreement, the rule
};

/// Why a finding's figure is wrong, by a rule that explains and never speaks alone.
struct explanation {
  std::string rule;  ///< R10
  std::string rule_name;
  std::string message;          ///< "x 8: bits counted for bytes"
  double distance_ratio = 0.0;  ///< between the claim and what the explanation would make it
};

/// One thing found. `message` is a whole sentence for a person.
struct finding {
  std::string rule;  ///< R04
  std::string rule_name;
  model::severity severity = model::severity::error;
  std::string subject;  ///< the counter, or the activity that none claims
  std::string message;
  quantity claimed;
  quantity observed;
  std::string unit;          ///< of both, where it is not the subject's: a rate of a time, say
  std::string likely_cause;  ///< what it most likely measured instead; may be empty
  std::vector<explanation> explanations;  ///< every one that fits, nearest first
  std::string where;                      ///< the first window that shows it
  std::uint64_t window_count = 0;
};

/// One rule's effort: a rule that evaluated nothing over a whole run is itself worth a line.
struct rule_line {
  std::string id;
  std::string name;
  std::uint64_t evaluated_samples = 0;
  std::uint64_t fired = 0;
  bool is_explainer = false;  ///< looks at findings alone: without one it has nothing to look at
};

/// One gate on the ground truth itself.
struct gate_line {
  std::string id;  ///< G1
  std::string name;
  bool holds = false;
  std::uint64_t evaluated_samples = 0;
  std::string detail;
};

/// Device activity that no counter accounts for.
struct unclaimed_line {
  std::string activity;
  std::uint64_t records = 0;
  std::int64_t bytes = 0;
  std::int64_t device_ns = 0;
};

/// A ceiling that the run measured.
struct ceiling_line {
  std::string link;
  double soft_bytes_per_s = 0.0;  ///< measured x 1.05; 0 with `reason` where it was not measured
  double hard_bytes_per_s = 0.0;  ///< physical bound; 0 with `reason` where unknown
  std::uint64_t samples = 0;
  std::string reason;
};

/// A named fact of the run, printed as it is.
struct fact {
  std::string name;
  std::string value;
};

/// The value of the first fact of that name; empty where there is none.
inline std::string value_of(const std::vector<fact>& facts, std::string_view name) {
  for (const fact& each : facts)
    if (each.name == name) return each.value;
  return {};
}

struct audit_report {
  std::vector<fact> facts;
  std::vector<counter_line> counters;  ///< in the contract's order
  std::vector<finding> findings;       ///< worst first
  std::vector<rule_line> rules;
  std::vector<gate_line> gates;
  std::vector<unclaimed_line> unclaimed;
  std::vector<ceiling_line> ceilings;
  std::uint64_t record_count = 0;
  std::uint64_t window_count = 0;
  bool is_complete = false;  ///< the trace was closed by its writer
  std::string incompleteness;
};

/// What `claimed` and `observed` of a finding are counted in: its own unit, else its subject's;
/// empty where the subject is no counter and nothing says.
inline std::string_view unit_of(const audit_report& report, const finding& found) {
  if (!found.unit.empty()) return found.unit;
  for (const counter_line& each : report.counters)
    if (each.name == found.subject) return each.unit;
  return {};
}

}  // namespace assay::model
