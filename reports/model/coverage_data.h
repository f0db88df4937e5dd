// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which lines of which files a test run reached, whichever tool counted.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace assay::model {

/// One way out of a condition.
struct branch_place {
  std::uint32_t line = 0;
  std::string block{};
  std::string branch{};
  auto operator<=>(const branch_place&) const = default;
};

/// A line or branch that is not here has no code.
struct file_coverage {
  std::map<std::uint32_t, std::uint64_t> line_hits{};
  std::map<branch_place, std::uint64_t> branch_hits{};
};

/// By path as the tool gave it.
using coverage_data = std::map<std::string, file_coverage>;

/// Lines that a change wrote, by path in the head.
using touched_lines = std::map<std::string, std::set<std::uint32_t>>;

}  // namespace assay::model
