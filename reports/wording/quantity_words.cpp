// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/quantity_words.h"

#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace assay::reports {
namespace {

struct scale {
  double factor;
  std::string_view suffix;
};

constexpr std::array<scale, 3> time_scales{{{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<scale, 4> bandwidth_scales{
    {{1.0, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}}};
constexpr std::array<scale, 5> operation_scales{
    {{1.0, "FLOP/s"}, {1e3, "kFLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}}};
constexpr std::array<scale, 3> capacity_scales{
    {{1024.0, "KiB"}, {1024.0 * 1024, "MiB"}, {1024.0 * 1024 * 1024, "GiB"}}};

// Four significant digits, in exponent form only beyond what an integer holds. 999.96 rounds to
// "1000", as it should.
std::string four_digits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1e18) return fmt::format("{:.3e}", value);
  if (magnitude >= 999.95) return with_separators(static_cast<std::int64_t>(std::llround(value)));
  if (magnitude >= 99.995) return fmt::format("{:.1f}", value);
  if (magnitude >= 9.9995) return fmt::format("{:.2f}", value);
  // A small value is not 0.000: that would be a zero nobody measured.
  if (magnitude > 0.0 && magnitude < 0.01) return fmt::format("{:.3g}", value);
  return fmt::format("{:.3f}", value);
}

// The largest scale in which the rounded value is at least 1: 999,960 ns is "1.000 ms", not
// "1000 µs".
std::string scaled(double value, std::span<const scale> scales, double step) {
  const scale* chosen = &scales.front();
  for (const scale& s : scales)
    if (std::abs(value) >= s.factor * (1.0 - 0.5 / (step * 10.0))) chosen = &s;
  return fmt::format("{} {}", four_digits(value / chosen->factor), chosen->suffix);
}

std::string group(std::string_view digits) {
  std::string grouped;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) grouped += ',';
    grouped += digits[at];
  }
  return grouped;
}

std::string real_words(double value, std::string_view unit) {
  if (unit == "bytes_per_s") return bandwidth_words(value);
  if (unit == "operations_per_s") return operation_rate_words(value);
  if (unit == "tokens_per_s") return four_digits(value) + " tokens/s";
  if (unit == "ratio") return four_digits(value * 100.0) + " %";
  if (unit == "count" || unit.empty()) return four_digits(value);
  return fmt::format("{} {}", four_digits(value), unit);
}

std::string integer_words(std::int64_t value, std::string_view unit, std::string_view kind) {
  if (unit == "ns") return duration_words(value);
  if (unit == "bytes")
    return kind == "gauge" || kind == "peak" ? capacity_words(value)
                                             : with_separators(value) + " B";
  if (unit == "count" || unit.empty()) return with_separators(value);
  if (unit == "bytes_per_s" || unit == "operations_per_s" || unit == "tokens_per_s" ||
      unit == "ratio")
    return real_words(static_cast<double>(value), unit);
  // The units that are left are words for things: tokens, pages.
  const bool is_one = value == 1 && !unit.empty() && unit.back() == 's';
  return fmt::format("{} {}", with_separators(value),
                     is_one ? unit.substr(0, unit.size() - 1) : unit);
}

}  // namespace

std::string with_separators(std::uint64_t value) {
  return group(fmt::format("{}", value));
}

std::string with_separators(std::int64_t value) {
  if (value >= 0) return with_separators(static_cast<std::uint64_t>(value));
  // The magnitude of the lowest value has no positive int64.
  return "-" + with_separators(~static_cast<std::uint64_t>(value) + 1);
}

std::string duration_words(std::int64_t ns) {
  if (ns > -1000 && ns < 1000) return fmt::format("{} ns", ns);
  return scaled(static_cast<double>(ns), time_scales, 1000.0);
}

std::string capacity_words(std::int64_t bytes) {
  const std::string exact = with_separators(bytes) + " B";
  if (bytes < 10 * 1024) return exact;
  return fmt::format("{} ({})", exact, scaled(static_cast<double>(bytes), capacity_scales, 1024.0));
}

std::string bandwidth_words(double bytes_per_s) {
  return scaled(bytes_per_s, bandwidth_scales, 1000.0);
}

std::string operation_rate_words(double operations_per_s) {
  return scaled(operations_per_s, operation_scales, 1000.0);
}

bool is_printable(const model::quantity& quantity) {
  return quantity.is_present && (!quantity.is_real || std::isfinite(quantity.real));
}

std::string absence_words(const model::quantity& quantity) {
  if (quantity.is_present && !is_printable(quantity)) return "not a finite number";
  return quantity.absence.empty() ? "absent, and no reason was given" : quantity.absence;
}

std::string quantity_words(const model::quantity& quantity, std::string_view unit,
                           std::string_view kind) {
  if (!is_printable(quantity)) return absence_words(quantity);
  return quantity.is_real ? real_words(quantity.real, unit)
                          : integer_words(quantity.integer, unit, kind);
}

}  // namespace assay::reports
