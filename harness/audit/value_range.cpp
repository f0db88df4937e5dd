// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/value_range.h"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "harness/audit/number.h"

namespace assay::audit {
namespace {

using integer_limits = std::numeric_limits<std::int64_t>;

std::optional<double> least_of(const counter_spec& spec) {
  if (spec.limits.least) return spec.limits.least;
  return spec.is_real() ? std::optional<double>(0.0) : std::nullopt;
}

std::optional<double> most_of(const counter_spec& spec) {
  if (spec.limits.most) return spec.limits.most;
  return spec.unit == unit::ratio ? std::optional<double>(1.0) : std::nullopt;
}

bool is_sentinel_value(const counter_spec& spec, const number& value) {
  // What a contract allows is a value, whatever it looks like.
  if (spec.limits.least && value.as_double() >= *spec.limits.least &&
      (!spec.limits.most || value.as_double() <= *spec.limits.most))
    return false;
  if (value.is_real)
    return value.real == -1.0 || std::abs(value.real) == std::numeric_limits<double>::max();
  if (value.integer == integer_limits::min() || value.integer == integer_limits::max()) return true;
  return value.integer == -1 && !spec.is_cumulative();
}

}  // namespace

range_fault fault_of(const counter_spec& spec, std::int64_t bits) {
  const number value = number::of_bits(bits, spec.is_real());
  if (value.is_real && !std::isfinite(value.real)) return range_fault::not_finite;
  if (is_sentinel_value(spec, value)) return range_fault::sentinel;
  const auto least = least_of(spec);
  if (least && value.as_double() < *least) return range_fault::below;
  const auto most = most_of(spec);
  return most && value.as_double() > *most ? range_fault::above : range_fault::none;
}

std::string fault_words(range_fault fault, const counter_spec& spec) {
  switch (fault) {
    case range_fault::none:
      break;
    case range_fault::not_finite:
      return "is not a finite number";
    case range_fault::sentinel:
      return "stands for a missing value and is none";
    case range_fault::below:
      return fmt::format("lies below {}, the least that it can be", least_of(spec).value_or(0.0));
    case range_fault::above:
      return fmt::format("lies above {}, the most that it can be", most_of(spec).value_or(0.0));
  }
  return "may be a measurement";
}

}  // namespace assay::audit
