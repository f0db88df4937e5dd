// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/link_fold.h"

#include <algorithm>
#include <string_view>

#include "probes/trace/bounded.h"
#include "runtime/telemetry/catalog.h"

namespace assay::attribution {

void link_fold::take(const assay_record& sample) {
  const std::int64_t took_ns = trace::difference(sample.end_ns, sample.start_ns);
  if (sample.direction >= lines_.size() || sample.amount <= 0 || took_ns <= 0) return;
  const double rate = static_cast<double>(sample.amount) * 1e9 / static_cast<double>(took_ns);
  model::link_line& line = lines_[sample.direction];
  if (line.samples++ == 0)
    line.first_bytes_per_s = line.least_bytes_per_s = line.most_bytes_per_s = rate;
  line.last_bytes_per_s = rate;
  line.least_bytes_per_s = std::min(line.least_bytes_per_s, rate);
  line.most_bytes_per_s = std::max(line.most_bytes_per_s, rate);
}

std::vector<model::link_line> link_fold::lines() const {
  std::vector<model::link_line> out;
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    if (lines_[at].samples == 0) continue;
    out.push_back(lines_[at]);
    out.back().link =
        at == 0 ? "no link" : telemetry::to_string(static_cast<telemetry::link_class>(at));
  }
  return out;
}

}  // namespace assay::attribution
