// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What other rules would have said of the same processes. Each runs the base whole before the head,
// as the tools that it stands for do.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace assay::campaigns {

/// One row, the head's planted shift included.
struct sequential_row {
  std::vector<double> base;  ///< processes in the order in which they ran
  std::vector<double> head;
};

struct rival {
  std::string_view name;
  bool (*says_worse)(const sequential_row& row);
};

/// The table that this project answers to (one run a side, 15 % or more), the u-test of Google
/// Benchmark's compare.py at its 5 % over all processes, and medians that differ by more than 5 %.
const std::array<rival, 3>& rivals();

}  // namespace assay::campaigns
