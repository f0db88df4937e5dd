// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Numbers of many processes of one build, recorded in the order in which a comparison runs them,
// and comparisons that are cut from them without overlap.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/paired_row.h"
#include "runtime/telemetry/result.h"

namespace assay::campaigns {

/// Four processes of one row, one after the other; ns a call.
struct four {
  std::array<double, 4> ns{};
  /// Base head head base, or the other way round. Of equal processes the sides are drawn when a
  /// comparison is cut.
  bool is_base_first = true;
};

struct pool_block {
  std::vector<four> plain;                                  ///< a row each
  std::map<unsigned, std::map<std::size_t, four>> planted;  ///< by percent, then row
  double at_s = 0.0;  ///< when it ended, from the start of the recording
};

/// What one worker of pool_recorder wrote.
struct pool {
  std::string file;
  std::vector<std::string> rows;
  std::vector<std::size_t> planted_rows;
  std::vector<pool_block> blocks;

  /// Processes of equal builds, and all of them.
  std::uint64_t equal_results() const { return blocks.size() * rows.size() * 4; }
  std::uint64_t results() const;
  bool is_planted(std::size_t row) const;
};

/// Errors: unusable_input, naming the file and the line.
result<pool> read_pool(const std::string& file);

/// Which blocks are still fresh. Screens take blocks from the front, all rows at once. What
/// confirms a row comes from the back, row by row: later in time, and no block of a row is used
/// twice.
struct fresh_blocks {
  std::size_t next = 0;
  std::vector<std::size_t> ends;  ///< of each row: the first block from the back that is used

  fresh_blocks(const pool& from, std::size_t first)
      : next(first), ends(from.rows.size(), from.blocks.size()) {}
};

/// The block's pairs of one row. Base and head of equal processes are as `is_base_first` says.
void add_pairs(const four& of, bool is_base_first, compare::paired_row& row,
               std::vector<compare::value_pair>& to);

struct cut_run {
  std::size_t first_block = 0;
  std::vector<compare::paired_row> rows;  ///< with screen and confirm pairs
  std::size_t confirmed_rows = 0;
};

/// One comparison, in which planted rows do `percent` more work (0: nothing is planted). None where
/// the blocks that are left might not suffice to confirm what passes: whether a comparison is made
/// must not depend on what its screen finds.
std::optional<cut_run> cut(const pool& from, fresh_blocks& left,
                           const compare::decision_rules& rules, unsigned percent,
                           std::uint64_t seed);

/// One comparison of equal builds whose blocks are drawn with replacement from all that lie behind
/// `first` in any of the pools: for a look at many more comparisons than there are fresh blocks
/// for, which are no independent ones.
cut_run draw(const std::vector<pool>& pools, std::size_t first,
             const compare::decision_rules& rules, std::uint64_t seed);

}  // namespace assay::campaigns
