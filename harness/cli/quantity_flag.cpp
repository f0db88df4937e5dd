// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/quantity_flag.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace assay::cli {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 7> byte_units{{
    {"B", 1},
    {"KiB", std::uint64_t{1} << 10},
    {"MiB", std::uint64_t{1} << 20},
    {"GiB", std::uint64_t{1} << 30},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
}};

constexpr std::array<std::pair<std::string_view, double>, 6> duration_units{{
    {"ns", 1.0},
    {"us", 1e3},
    {"ms", 1e6},
    {"s", 1e9},
    {"m", 60e9},
    {"h", 3600e9},
}};

// The number that the text begins with, and what follows it.
std::pair<std::optional<double>, std::string_view> number_and_unit(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (code != std::errc{} || !std::isfinite(number)) return {std::nullopt, unit};
  return {number, unit};
}

}  // namespace

result<std::int64_t> parse_duration_ns(std::string_view flag, std::string_view text) {
  const auto [number, unit] = number_and_unit(text);
  for (const auto& [name, factor] : duration_units)
    if (number && unit == name && *number * factor >= 1 && *number * factor < 1e18)
      return static_cast<std::int64_t>(*number * factor);
  return ASSAY_FAIL(usage, std::string(flag) + ": '" + std::string(text) +
                               "' is not a duration; write a number and a unit, such as 500ms, "
                               "30s or 8m");
}

result<double> parse_percent(std::string_view flag, std::string_view text) {
  const auto [number, unit] = number_and_unit(text);
  if (number && unit == "%" && *number >= 0 && *number <= 1000) return *number / 100;
  return ASSAY_FAIL(usage, std::string(flag) + ": '" + std::string(text) +
                               "' is not a share; write a number and a per cent sign, such as 2%");
}

result<std::uint64_t> parse_bytes(std::string_view flag, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, factor] : byte_units) {
    std::uint64_t bytes = 0;
    if (code == std::errc{} && suffix == name && !__builtin_mul_overflow(number, factor, &bytes))
      return bytes;
  }
  return ASSAY_FAIL(usage, std::string(flag) + ": '" + std::string(text) +
                               "' is not a size; write a whole number and a unit, such as 512MiB");
}

result<std::uint64_t> parse_limit_bytes(std::string_view flag, std::string_view text) {
  ASSAY_TRY_ASSIGN(const std::uint64_t bytes, parse_bytes(flag, text));
  if (bytes > 0) return bytes;
  return ASSAY_FAIL(usage, std::string(flag) + ": " + std::string(text) +
                               " leave room for nothing; give a limit, or leave it out");
}

}  // namespace assay::cli
