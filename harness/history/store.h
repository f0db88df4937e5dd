// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Results in a database: added once each, read back in the order in which they came.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/database.h"
#include "harness/history/entry.h"

namespace assay::history {

struct listed_entry {
  std::string key{};
  std::string verb{};
  std::string outcome{};
  std::string commit{};
  std::int64_t recorded_at_ns = 0;
  std::int64_t measures_count = 0;
};

struct series_point {
  std::string commit{};
  std::int64_t recorded_at_ns = 0;
  double value = 0.0;
};

/// The values of one measure over time; results without a value for it are left out and counted.
struct series {
  std::string verb{};
  std::string name{};
  std::string metric{};
  std::string unit{};
  std::vector<series_point> points{};
  std::int64_t absent_count = 0;
  /// What was run, on what, where the history holds several: values of two are no series.
  std::string subject{};
};

/// Adds `what` whole or not at all, also where the process dies meanwhile. False: it is there
/// already. `recorded_at_ns` is of the realtime clock.
result<bool> add(database& to, const entry& what, std::int64_t recorded_at_ns);

/// The newest `limit` entries, oldest first.
result<std::vector<listed_entry>> list(database& in, std::int64_t limit);

/// Nothing where no entry has the key.
result<std::optional<kept_entry>> find(database& in, const std::string& key);

/// Every measure that has a value somewhere, by verb, name and metric. Points lie in the order in
/// which they were recorded.
result<std::vector<series>> all_series(database& in);

}  // namespace assay::history
