// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/vram_limit.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

namespace assay::memory {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 9> byte_units{{
    {"B", 1.0},
    {"KiB", 1024.0},
    {"MiB", 1024.0 * 1024},
    {"GiB", 1024.0 * 1024 * 1024},
    {"TiB", 1024.0 * 1024 * 1024 * 1024},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
}};

// Above 2^53 a double no longer counts bytes one by one; no device has so many.
constexpr double most_bytes = 9007199254740992.0;

constexpr std::string_view ways =
    "write bytes with a unit (6GiB, 1536MiB), a fraction of the device's memory above 0 and at "
    "most 1 (0.5), or auto";

error complaint(std::string_view text, std::string_view what) {
  return {
      error_kind::usage,
      "--vram-limit '" + std::string(text) + "' " + std::string(what) + "; " + std::string(ways),
      __FILE__, __LINE__};
}

result<vram_limit> fraction_of(std::string_view text, double number) {
  if (number > 1.0)
    return failure(complaint(text, "has no unit, and as a fraction it is more than the whole"));
  return vram_limit{vram_limit::fraction{number}};
}

result<vram_limit> bytes_with_unit(std::string_view text, double number, std::string_view unit) {
  for (const auto& [name, factor] : byte_units) {
    if (unit != name) continue;
    const double bytes = number * factor;
    if (bytes >= most_bytes) return failure(complaint(text, "is more than any device has"));
    if (bytes < 1.0) return failure(complaint(text, "is less than a byte"));
    return vram_limit{static_cast<std::uint64_t>(bytes)};
  }
  return failure(
      complaint(text, "has a unit that is none of B, KiB, MiB, GiB, TiB, KB, MB, GB, TB"));
}

}  // namespace

result<vram_limit> vram_limit::parse(std::string_view text) {
  if (text == "auto") return vram_limit{fraction{auto_ratio}};
  double number = 0.0;
  const char* const end = text.data() + text.size();
  // No exponent, no "inf": 1e9 and 1E9 would be read as a unit by some and as a number by others.
  const auto [rest, code] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (code == std::errc::result_out_of_range)
    return failure(complaint(text, "is more than any device has"));
  if (code != std::errc{} || !std::isfinite(number))
    return failure(complaint(text, "is no number"));
  if (std::signbit(number)) return failure(complaint(text, "is negative"));
  if (number == 0.0) return failure(complaint(text, "is nothing: no step runs in 0 bytes"));
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  return unit.empty() ? fraction_of(text, number) : bytes_with_unit(text, number, unit);
}

result<std::uint64_t> vram_limit::bytes_of(std::uint64_t total_bytes) const {
  if (const auto* part = std::get_if<fraction>(&value)) {
    const auto bytes = static_cast<std::uint64_t>(part->ratio * static_cast<double>(total_bytes));
    if (bytes > 0) return bytes;
    return ASSAY_FAIL(usage, "--vram-limit: that fraction of the device's " +
                                 std::to_string(total_bytes) +
                                 " bytes is less than a byte; give more, bytes with a unit, or "
                                 "auto");
  }
  const std::uint64_t bytes = std::get<std::uint64_t>(value);
  if (bytes > total_bytes)
    return ASSAY_FAIL(
        usage, "--vram-limit: " + std::to_string(bytes) + " bytes are more than the device's " +
                   std::to_string(total_bytes) + "; give less, a fraction of it, or auto");
  return bytes;
}

}  // namespace assay::memory
