// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/exact_difference.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/model/launch_name.h"

namespace assay::attribution {
namespace {

using model::difference_verdict;

struct amount {
  std::string subject;
  std::string unit;
  model::quantity value;
};

model::quantity whole(std::int64_t value) {
  return {true, false, value, 0.0, {}};
}
model::quantity whole(std::uint64_t value) {
  return whole(static_cast<std::int64_t>(value));
}

// Amounts that two runs of the same work share to the last unit. Times are none, and neither are
// levels of memory that the machine decides.
std::vector<amount> amounts_of(const model::investigation& from) {
  std::vector<amount> out;
  for (const auto& [kind, total] :
       {std::pair{"decode", &from.decode}, std::pair{"prefill", &from.prefill}}) {
    out.push_back({fmt::format("{} passes", kind), "count", whole(total->passes)});
    for (const model::launch_line& each : total->launches) {
      const std::string name = fmt::format("{}: {}", kind, model::launch_name(each.which));
      out.push_back({name + ", launches", "count", whole(each.launches)});
      if (each.weight_bytes != 0 || each.kv_bytes != 0) {
        out.push_back({name + ", weights read", "bytes", whole(each.weight_bytes)});
        out.push_back({name + ", KV read", "bytes", whole(each.kv_bytes)});
      }
    }
  }
  for (const model::bandwidth_line& each : from.bandwidths)
    if (!each.is_claim) out.push_back({"copied: " + each.subject, "bytes", each.bytes});
  for (const model::counter_line& each : from.audit.counters)
    if (each.kind == "count" && !each.claimed.is_real)
      out.push_back({each.name, each.unit, each.claimed});
  return out;
}

// The ids that came out are no number; what stands for them is the same only where they are.
constexpr std::string_view ids_fact = "token ids";

// That only one run has it is a difference. Where neither has it for reasons of their own, no
// amount is there that could differ.
difference_verdict verdict_of(const model::quantity& one, const model::quantity& other) {
  if (one.is_present != other.is_present) return difference_verdict::differs;
  if (one.is_present)
    return one.integer == other.integer ? difference_verdict::same : difference_verdict::differs;
  return one.absence == other.absence ? difference_verdict::same : difference_verdict::cannot_tell;
}

}  // namespace

std::vector<model::exact_difference> exact_differences(const model::investigation& first,
                                                       const model::investigation& second) {
  const std::vector<amount> ones = amounts_of(first);
  std::vector<amount> others = amounts_of(second);
  model::quantity none;
  none.absence = "not in this trace";
  std::vector<model::exact_difference> out;
  for (const amount& one : ones) {
    const auto found = std::find_if(others.begin(), others.end(), [&](const amount& each) {
      return each.subject == one.subject && each.unit == one.unit;
    });
    model::exact_difference row{one.subject, one.unit, one.value, none,
                                difference_verdict::differs};
    if (found != others.end()) {
      row.second = found->value;
      others.erase(found);
    }
    row.verdict = verdict_of(row.first, row.second);
    out.push_back(std::move(row));
  }
  for (amount& each : others)
    out.push_back({std::move(each.subject), std::move(each.unit), none, std::move(each.value),
                   difference_verdict::differs});
  return out;
}

model::difference_verdict ids_difference(const model::audit_report& first,
                                         const model::audit_report& second) {
  const std::string one = value_of(first.facts, ids_fact);
  const std::string other = value_of(second.facts, ids_fact);
  if (one.empty() || other.empty()) return difference_verdict::cannot_tell;
  return one == other ? difference_verdict::same : difference_verdict::differs;
}

std::vector<model::fact_difference> fact_differences(const model::audit_report& first,
                                                     const model::audit_report& second) {
  std::vector<model::fact_difference> out;
  for (const model::fact& each : first.facts)
    if (const std::string other = value_of(second.facts, each.name); other != each.value)
      out.push_back({each.name, each.value, other});
  for (const model::fact& each : second.facts)
    if (value_of(first.facts, each.name).empty() && !each.value.empty())
      out.push_back({each.name, {}, each.value});
  return out;
}

}  // namespace assay::attribution
