// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Numbers of many processes of one build, recorded in the order in which a comparison runs them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/paired_row.h"
#include "runtime/telemetry/result.h"

namespace assay::campaigns {

/// Block by block: each has four processes of each row, one after the other, rows in an order that
/// is drawn for the block.
struct pool {
  std::vector<std::string> rows;
  /// (block, row, slot) ns a call. A block that a run did not end is not here.
  std::vector<std::vector<std::array<double, 4>>> blocks;

  std::uint64_t results() const { return blocks.size() * rows.size() * 4; }
};

/// Adds blocks to the file until `minutes` are over. Resumable: blocks are written whole.
/// Errors: io; unavailable where a process fails.
result<void> record_pool(const std::string& file, const std::string& bench, double minutes);
/// Errors: unusable_input, naming the file and the line.
result<pool> read_pool(const std::string& file);

/// A shift that is planted into the head of some rows, as a logarithm.
struct planted_shift {
  double ln = 0.0;
  bool (*is_in)(const std::string& name) = nullptr;
};

/// One comparison cut from the pool: screen from `first` on, and fresh pairs after it for whoever
/// passes. Which side is first in a block is drawn. Blocks are not used twice.
struct cut_run {
  std::vector<compare::paired_row> rows;  ///< with screen and confirm pairs
  std::size_t used_blocks = 0;
};
cut_run cut(const pool& from, std::size_t first, const compare::decision_rules& rules,
            const planted_shift& planted, std::uint64_t seed);

}  // namespace assay::campaigns
