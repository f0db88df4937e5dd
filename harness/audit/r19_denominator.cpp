// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r19_denominator.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "harness/audit/dispute.h"

namespace assay::audit {
namespace {

constexpr double denominator_tolerance = 0.01;
// Two times that are nearly one explain whatever is nearly right.
constexpr double told_apart_ratio = 1.05;

struct stretch {
  std::string_view name;
  double ns;
};

// The harness's own stamps. A request holds its passes and what lies between them.
std::array<stretch, 4> stretches_of(const evidence& from) {
  const auto ns = [&](int kind) {
    return static_cast<double>(from.by_kind[static_cast<std::size_t>(kind)].host_span_ns);
  };
  const double steps = ns(ASSAY_WINDOW_DECODE_STEP);
  const double passes = steps + ns(ASSAY_WINDOW_PREFILL);
  const double requests = ns(ASSAY_WINDOW_REQUEST);
  return {{{"the decode steps", steps},
           {"prefills and decode steps", passes},
           {"the requests", requests},
           {"the load and the requests", requests + ns(ASSAY_WINDOW_LOAD)}}};
}

}  // namespace

explanation_outcome denominator(const evidence& from, std::span<const model::finding>,
                                const model::finding& of) {
  explanation_outcome out;
  const auto open = dispute_of(from, of);
  if (!open || !open->counter->spec.is_real()) return out;
  const auto stretches = stretches_of(from);
  for (const stretch& used : stretches)
    for (const stretch& due : stretches) {
      const bool is_apart =
          used.ns > 0.0 && due.ns > 0.0 &&
          (due.ns > told_apart_ratio * used.ns || used.ns > told_apart_ratio * due.ns);
      if (!is_apart) continue;
      out.evaluated = 1;
      const auto distance = distance_to(*open, due.ns / used.ns, denominator_tolerance);
      if (!distance) continue;
      out.explanations.push_back(
          explanation_of("R19", "DENOMINATOR",
                         fmt::format("x {:.4g}: over the time of {}, where that of {} is due",
                                     due.ns / used.ns, used.name, due.name),
                         *distance));
    }
  return out;
}

}  // namespace assay::audit
