// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/latency.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::attribution {

std::int64_t nearest_rank_ns(const std::vector<std::int64_t>& sorted, double ratio) {
  const auto count = static_cast<double>(sorted.size());
  // The product of a percentile and a count that should be whole may lie a hair above it.
  const double rank = std::ceil(ratio * count * (1.0 - 1e-12));
  const double held = std::clamp(rank, 1.0, count);
  return sorted[static_cast<std::size_t>(held) - 1];
}

model::latency_line latency_of(std::string name, std::vector<std::int64_t>& samples,
                               std::string absence) {
  model::latency_line line;
  line.name = std::move(name);
  line.samples = samples.size();
  if (samples.empty()) {
    line.absence = std::move(absence);
    return line;
  }
  std::sort(samples.begin(), samples.end());
  line.least_ns = samples.front();
  line.p50_ns = nearest_rank_ns(samples, 0.50);
  line.p90_ns = nearest_rank_ns(samples, 0.90);
  line.p99_ns = nearest_rank_ns(samples, 0.99);
  line.most_ns = samples.back();
  return line;
}

}  // namespace assay::attribution
