// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Values of a history over time, and where they changed, as plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::model {

struct trend_point {
  std::string commit;  ///< empty where nobody said
  std::int64_t recorded_at_ns = 0;
  double value = 0.0;
};

/// Between the point before `first` and `first` itself: the commits of the two name the range.
struct trend_change {
  std::size_t first = 0;
  double before = 0.0;  ///< medians of the stretches
  double after = 0.0;
  double p_value = 1.0;
};

struct trend_series {
  std::string verb;
  std::string name;
  std::string metric;  ///< empty where the name says all
  std::string unit;
  std::vector<trend_point> points;
  std::vector<trend_change> changes;
  std::int64_t absent_count = 0;  ///< results without a value
  bool is_searched = false;       ///< enough points for a change to be found
  std::string subject{};          ///< what was run, on what, where the history holds several
};

struct trend_report {
  std::vector<trend_series> series;
  std::size_t least_points = 0;  ///< that a search takes
  std::uint64_t results = 0;
};

}  // namespace assay::model
