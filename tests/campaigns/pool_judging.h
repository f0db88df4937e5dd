// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Comparisons of a recorded pool, one after the other, and what came of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/compare/paired_row.h"
#include "tests/campaigns/compare_pool.h"
#include "tests/campaigns/pool_floors.h"

namespace assay::campaigns {

struct share {
  std::uint64_t seen = 0;
  std::uint64_t tried = 0;
  void add(bool is_seen) {
    seen += is_seen;
    ++tried;
  }
  /// With the Clopper–Pearson bound on either side.
  std::string words() const;
};

struct judged_run {
  std::string file;
  std::size_t first_block = 0;
  int exit_code = 0;
  std::string contamination;
  std::vector<std::string> false_alarms;  ///< rows called worse or better in which nothing changed
  std::size_t confirmed_rows = 0;
};

struct row_account {
  share found;                  ///< planted rows: called regressed
  share false_alarms;           ///< rows in which nothing was planted, called regressed or improved
  std::vector<double> visible;  ///< what each run said that it could see, ratios
};

struct rival_account {
  share runs, rows, found;
};

struct judgement {
  std::vector<judged_run> runs;
  std::map<std::string, row_account> rows;
  std::map<std::string, rival_account> rivals;
};

/// As many comparisons as each pool has fresh blocks for; `percent` planted, 0 for none.
judgement judge(const std::vector<pool>& pools, const pool_floors& floors,
                const compare::decision_rules& rules, unsigned percent);

/// `count` comparisons of equal builds, drawn with replacement (compare_pool.h). No rival is asked.
judgement judge_drawn(const std::vector<pool>& pools, const pool_floors& floors,
                      const compare::decision_rules& rules, std::size_t count);

}  // namespace assay::campaigns
