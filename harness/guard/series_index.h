// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One snapshot, by name.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/model/exposition.h"
#include "reports/model/guard_contract.h"

namespace assay::guard {

/// Lifetime: points into the exposition.
class series_index {
 public:
  explicit series_index(const model::exposition& of);

  const model::exposition& from() const { return *of_; }

  using sample_list = std::vector<const model::exposition_sample*>;

  /// The samples of a name; empty where there are none.
  const sample_list& samples(std::string_view name) const;

  /// What the exposition declares of the metric that a sample's name belongs to; null where it
  /// declares nothing. OpenMetrics declares a counter without its _total.
  const model::exposition_family* family(std::string_view name) const;

  /// Whether the metric is there: itself or, of a histogram or summary, its _count.
  bool has(const model::promised_metric& metric) const;

  /// The samples that tell how much has happened: a histogram's _count, else the metric's own.
  const sample_list& amounts(const model::promised_metric& metric) const;

 private:
  const model::exposition* of_;
  std::unordered_map<std::string_view, sample_list> samples_;
  std::unordered_map<std::string_view, const model::exposition_family*> families_;
};

/// Whether the process began anew between two snapshots, as it says itself: its counters then start
/// at 0, all of them at once.
bool is_restarted(const series_index& before, const series_index& after);

/// The sum of a term's series, or none where there are none or one is no finite number.
std::optional<double> value_of(const model::balance_term& term, const series_index& in);

/// The sum of all terms with their signs. `missing` gets the first metric that has no value.
std::optional<double> value_of(const std::vector<model::balance_term>& terms,
                               const series_index& in, std::string_view& missing);

/// The first line that a sum rests on; 0 where there is none.
std::size_t line_of(const model::balance_term& term, const series_index& in);

}  // namespace assay::guard
