// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r22_wrong_base.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/dispute.h"
#include "harness/audit/mismatch.h"

namespace assay::audit {
namespace {

constexpr double base_tolerance = 0.02;

// By what a figure may have been divided, or multiplied.
struct base {
  double value;
  std::string name;
};

// Below 2 what is merely counted is hardly told from a tolerance; what is stated may be a ratio.
constexpr double counted_min = 2.0;
constexpr double stated_min = 1.1;

void add(std::vector<base>& to, double value, std::string name, double least = counted_min) {
  if (!(value >= least)) return;
  for (base& known : to) {
    if (known.value != value) continue;
    known.name += " or " + name;
    return;
  }
  to.push_back({value, std::move(name)});
}

// Counts of windows are the harness's own; of the counters only those of tokens, and only where
// nothing contradicts them: with every counter as a base, any quotient would find one.
std::vector<base> bases_of(const evidence& from) {
  const auto count = [&](int kind) {
    return static_cast<double>(from.by_kind[static_cast<std::size_t>(kind)].windows);
  };
  const double requests = count(ASSAY_WINDOW_REQUEST);
  const double steps = count(ASSAY_WINDOW_DECODE_STEP);
  const double passes = steps + count(ASSAY_WINDOW_PREFILL);
  std::vector<base> bases;
  const auto with_share = [&](double value, const std::string& name) {
    add(bases, value, name);
    if (requests > 1.0) add(bases, value / requests, name + " a request");
  };
  add(bases, requests, "requests");
  with_share(steps, "decode steps");
  with_share(passes, "passes");
  for (const counter_evidence& counter : from.counters)
    if (counter.spec.unit == unit::tokens && counter.spec.is_cumulative() &&
        class_of(counter) == mismatch_class::none)
      with_share(counter.claimed.as_double(), counter.spec.name);
  // What the run's maker knows of its shape: layers, ranks, isolated over batched.
  for (const trace::named_number& stated : from.bases)
    add(bases, stated.value, stated.name, stated_min);
  return bases;
}

}  // namespace

explanation_outcome wrong_base(const evidence& from, std::span<const model::finding>,
                               const model::finding& of) {
  explanation_outcome out;
  const auto open = dispute_of(from, of);
  if (!open) return out;
  const std::vector<base> bases = bases_of(from);
  out.evaluated = bases.empty() ? 0 : 1;
  for (const base& b : bases) {
    if (const auto up = distance_to(*open, b.value, base_tolerance))
      out.explanations.push_back(
          explanation_of("R22", "WRONG_BASE",
                         fmt::format("x {:.6g}: multiplied by the {}", b.value, b.name), *up));
    if (const auto down = distance_to(*open, 1.0 / b.value, base_tolerance))
      out.explanations.push_back(explanation_of(
          "R22", "WRONG_BASE", fmt::format("/ {:.6g}: divided by the {}", b.value, b.name), *down));
  }
  return out;
}

}  // namespace assay::audit
