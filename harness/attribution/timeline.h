// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The instants of one pass, each given to what it was spent on.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/model/investigation.h"

namespace assay::attribution {

/// Something that lasted. Half open, ns on the host's clock.
struct piece {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  model::time_part part = model::time_part::launch;
  std::uint16_t launch_class = 0;  ///< of a launch
};

/// What became of [begin, end).
struct split {
  model::part_times_ns on_path_ns{};   ///< disjoint: an instant counts once
  model::part_times_ns busy_ns{};      ///< union of each part alone
  std::vector<std::int64_t> class_ns;  ///< of on_path_ns's launches, by class
  std::int64_t device_busy_ns = 0;     ///< launches, copies and events together
};

/// Splits an interval among the pieces that lie in it, each clipped to it. Where several cover an
/// instant the first part of model::time_part has it; of several launches the one that began first.
/// Sorts `pieces`. O(n log n).
split split_of(std::vector<piece>& pieces, std::int64_t begin_ns, std::int64_t end_ns,
               std::size_t launch_classes);

/// The length of [begin, end) that no piece covers. Shares no code with split_of(): the two must
/// add up to the whole.
std::int64_t uncovered_ns(const std::vector<piece>& pieces, std::int64_t begin_ns,
                          std::int64_t end_ns);

}  // namespace assay::attribution
