// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/wording.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "probes/trace/assay_trace.h"
#include "runtime/telemetry/catalog.h"

namespace assay::audit {

std::string time_words(double ns) {
  const double size = std::abs(ns);
  if (size < 1e3) return fmt::format("{:.0f} ns", ns);
  if (size < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  if (size < 1e9) return fmt::format("{:.3f} ms", ns / 1e6);
  return fmt::format("{:.3f} s", ns / 1e9);
}

std::string rate_words(double bytes_per_s) {
  return fmt::format("{:.2f} GB/s", bytes_per_s / 1e9);
}

std::string value_words(const number& value, assay::unit unit) {
  if (unit == assay::unit::ns) return time_words(value.as_double());
  if (unit == assay::unit::bytes_per_s) return rate_words(value.as_double());
  if (unit == assay::unit::tokens_per_s) return fmt::format("{:.2f} tokens/s", value.as_double());
  if (unit == assay::unit::ratio) return fmt::format("{:.6f}", value.as_double());
  const auto name = unit == assay::unit::count ? std::string_view() : to_string(unit);
  const std::string digits = fmt::format("{}", value.integer);
  return name.empty() ? digits : fmt::format("{} {}", digits, name);
}

std::string source_name(int source) {
  static constexpr const char* names[] = {"no source", "device records", "events",  "host span",
                                          "ledger",    "content",        "process", "link",
                                          "oracle",    "harness events", "NVML"};
  return source > 0 && source <= ASSAY_SOURCE_NVML ? names[source] : names[0];
}

std::string relation_name(int relation) {
  static constexpr const char* names[] = {"none", "equal", "near", "at most", "at least"};
  return relation > 0 && relation <= ASSAY_AT_LEAST ? names[relation] : names[0];
}

std::string link_name(telemetry::link_class link) {
  return std::string(telemetry::to_string(link));
}

model::quantity quantity_of(const number& value) {
  if (value.is_real && !std::isfinite(value.real)) return absent("not a finite number");
  return {true, value.is_real, value.integer, value.real, {}};
}

model::quantity quantity_of_time(double ns) {
  if (!std::isfinite(ns) || std::abs(ns) > 9e18) return absent("beyond what a clock can show");
  return quantity_of(number::of(std::llround(ns)));
}

model::quantity absent(std::string why) {
  model::quantity none;
  none.absence = std::move(why);
  return none;
}

}  // namespace assay::audit
