// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r10_unit_suspect.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/audit/dispute.h"
#include "harness/audit/small_multiple.h"

namespace assay::audit {
namespace {

struct unit_factor {
  double value;
  const char* name;
  const char* meaning_up;    ///< claimed = observed x value
  const char* meaning_down;  ///< claimed = observed / value
};

// Neighbours such as 1000 and 1024 are 2.4 % apart, so that 1 % tells them from each other.
constexpr std::array<unit_factor, 10> known{{
    {8, "8", "bits counted for bytes", "elements of 8 bytes counted for bytes"},
    {1e3, "1000", "a unit 1000 times smaller", "a unit 1000 times larger, such as us for ns"},
    {1e6, "10^6", "a unit 10^6 times smaller", "a unit 10^6 times larger, such as ms for ns"},
    {1e9, "10^9", "a unit 10^9 times smaller", "a unit 10^9 times larger, such as s for ns"},
    {1024, "1024", "scaled up by Ki", "KiB for bytes"},
    {1048576, "2^20", "scaled up by Mi", "MiB for bytes"},
    {1073741824, "2^30", "scaled up by Gi", "GiB for bytes"},
    {1.024, "2^10/10^3", "kB for KiB", "KiB for kB"},
    {1.048576, "2^20/10^6", "MB for MiB", "MiB for MB"},
    {1.073741824, "2^30/10^9", "GB for GiB", "GiB for GB"},
}};

// Ticks of a stated clock for ns, or the reverse: the clock's rate over 10^9. A rate is the inverse
// of a time. A clock of about 1 GHz explains nothing that an exact figure would not.
void explain_by_clocks(const evidence& from, const dispute& open, explanation_outcome& out) {
  const counter_spec& spec = open.counter->spec;
  if (!spec.is_timed()) return;
  for (const trace::named_number& clock : from.clock_rates) {
    const double ticks_per_ns = clock.value / 1e9;
    if (std::abs(ticks_per_ns - 1.0) <= 2.0 * factor_tolerance) continue;
    const double factor = spec.unit == unit::ns ? ticks_per_ns : 1.0 / ticks_per_ns;
    if (const auto up = distance_to(open, factor, factor_tolerance))
      out.explanations.push_back(
          explanation_of("R10", "UNIT_SUSPECT",
                         fmt::format("x {:.4g}: ticks of the {}, {:.6g} a second, taken for ns",
                                     factor, clock.name, clock.value),
                         *up));
    if (const auto down = distance_to(open, 1.0 / factor, factor_tolerance))
      out.explanations.push_back(
          explanation_of("R10", "UNIT_SUSPECT",
                         fmt::format("/ {:.4g}: ns taken for ticks of the {}, {:.6g} a second",
                                     factor, clock.name, clock.value),
                         *down));
  }
}

// A thousandth of a step's time is about what its enqueue takes, and R01 speaks. An enqueue is an
// eighth or a half of its work by chance, and a thousandth to 1 % hardly.
explanation_outcome explain_enqueue(const evidence& from, const model::finding& of) {
  explanation_outcome out;
  const auto open = enqueue_dispute_of(from, of);
  if (!open) return out;
  out.evaluated = 1;
  for (const unit_factor& f : known) {
    if (f.value != 1e3 && f.value != 1e6 && f.value != 1e9) continue;
    if (const auto down = distance_to(*open, 1.0 / f.value, factor_tolerance))
      out.explanations.push_back(explanation_of(
          "R10", "UNIT_SUSPECT", fmt::format("/ {}: {}", f.name, f.meaning_down), *down));
  }
  return out;
}

}  // namespace

explanation_outcome unit_suspect(const evidence& from, std::span<const model::finding>,
                                 const model::finding& of) {
  if (of.rule == "R01") return explain_enqueue(from, of);
  explanation_outcome out;
  const auto open = dispute_of(from, of);
  if (!open) return out;
  out.evaluated = 1;
  for (const unit_factor& f : known) {
    if (const auto up = distance_to(*open, f.value, factor_tolerance))
      out.explanations.push_back(explanation_of(
          "R10", "UNIT_SUSPECT", fmt::format("x {}: {}", f.name, f.meaning_up), *up));
    if (const auto down = distance_to(*open, 1.0 / f.value, factor_tolerance))
      out.explanations.push_back(explanation_of(
          "R10", "UNIT_SUSPECT", fmt::format("/ {}: {}", f.name, f.meaning_down), *down));
  }
  explain_by_clocks(from, *open, out);
  return out;
}

}  // namespace assay::audit
