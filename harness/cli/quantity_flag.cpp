// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/quantity_flag.h"

#include <array>
#include <charconv>
#include <string>
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

}  // namespace

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

}  // namespace assay::cli
