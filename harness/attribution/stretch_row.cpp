// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/stretch_row.h"

#include <algorithm>

namespace assay::attribution {
namespace {

void halve(std::vector<model::level_stretch>& stretches) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < stretches.size(); at += 2, ++kept) {
    model::level_stretch joined = stretches[at];
    if (at + 1 < stretches.size()) {
      joined.least = std::min(joined.least, stretches[at + 1].least);
      joined.most = std::max(joined.most, stretches[at + 1].most);
    }
    stretches[kept] = joined;
  }
  stretches.resize(kept);
}

}  // namespace

void stretch_row::add(std::int64_t at_ns, std::int64_t value) {
  if (stretches_.empty() || values_in_last_ == values_a_stretch_) {
    if (stretches_.size() == max_stretches) {
      halve(stretches_);
      values_a_stretch_ *= 2;
    }
    stretches_.push_back({at_ns, value, value});
    values_in_last_ = 1;
    return;
  }
  model::level_stretch& last = stretches_.back();
  last.least = std::min(last.least, value);
  last.most = std::max(last.most, value);
  ++values_in_last_;
}

}  // namespace assay::attribution
