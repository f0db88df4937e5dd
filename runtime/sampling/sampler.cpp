// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampling/sampler.h"

#include <cmath>
#include <string>

#include "runtime/sampling/random.h"
#include "runtime/telemetry/clock.h"

namespace assay::sampling {

using telemetry::counter_id;

result<std::int32_t> pick_highest(std::span<const float> logits) {
  std::size_t best = 0;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (!std::isfinite(logits[id]))
      return ASSAY_FAIL(unusable_input, "logits: the value for id " + std::to_string(id) +
                                            " is not finite; the weights overflow in this prompt");
    if (logits[id] > logits[best]) best = id;
  }
  return static_cast<std::int32_t>(best);
}

result<std::int32_t> pick_at(std::span<const float> logits, double temperature, double draw,
                             std::vector<double>& weights) {
  ASSAY_TRY_ASSIGN(const std::int32_t best, pick_highest(logits));
  const double peak = logits[static_cast<std::size_t>(best)];
  weights.resize(logits.size());
  double total = 0.0;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    weights[id] = std::exp((logits[id] - peak) / temperature);
    total += weights[id];
  }
  double left = draw * total;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    left -= weights[id];
    if (left < 0.0) return static_cast<std::int32_t>(id);
  }
  return best;  // draw · total rounded up to the total
}

void sampler::begin(double temperature, std::uint64_t seed) {
  temperature_ = temperature;
  seed_ = seed;
  draws_ = 0;
}

result<std::int32_t> sampler::draw(std::span<const float> logits) {
  const host_time entry = host_now();
  const bool greedy = temperature_ == 0.0;
  auto picked = greedy ? pick_highest(logits)
                       : pick_at(logits, temperature_, uniform(seed_, draws_), weights_);
  if (!picked) return picked;
  ++draws_;
  counters_.add(counter_id::sampling_draws_count, 1);
  counters_.add(counter_id::sampling_candidates_count, static_cast<std::int64_t>(logits.size()));
  counters_.add(counter_id::sampling_random_draws_count, greedy ? 0 : 1);
  counters_.add(counter_id::sampling_host_ns, host_now() - entry);
  return picked;
}

}  // namespace assay::sampling
