// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "runtime/sampling/random.h"
#include "runtime/telemetry/clock.h"

namespace assay::sampling {

using telemetry::counter_id;

namespace {

// Compared one after the other, each value waits for the one before; sixteen side by side do not.
typedef float quad __attribute__((vector_size(16)));
constexpr std::size_t quads = 4;
constexpr std::size_t side_by_side = 4 * quads;
// Values of which the highest is known before its place: few enough to be looked through again.
constexpr std::size_t chunk = 64 * side_by_side;

struct overview {
  float highest;
  bool is_finite = true;
};

void look_at(overview& seen, float value) {
  seen.highest = std::max(seen.highest, value);
  seen.is_finite = seen.is_finite && std::isfinite(value);
}

// v - v is 0, or not a number where v is not finite; a sum keeps that.
overview look_over(std::span<const float> part) {
  quad highest[quads];
  quad nothing[quads] = {};
  for (quad& each : highest) each = quad{} + part[0];
  std::size_t i = 0;
  for (; i + side_by_side <= part.size(); i += side_by_side)
#pragma GCC unroll 4
    for (std::size_t q = 0; q < quads; ++q) {
      quad values;
      std::memcpy(&values, part.data() + i + 4 * q, sizeof values);
      highest[q] = values > highest[q] ? values : highest[q];
      nothing[q] += values - values;
    }
  overview seen{part[0]};
  for (std::size_t q = 0; q < quads; ++q)
    for (std::size_t lane = 0; lane < 4; ++lane) look_at(seen, highest[q][lane] + nothing[q][lane]);
  for (; i < part.size(); ++i) look_at(seen, part[i]);
  return seen;
}

error not_finite(std::span<const float> logits, std::size_t from) {
  while (std::isfinite(logits[from])) ++from;
  return {error_kind::unusable_input,
          "logits: the value for id " + std::to_string(from) +
              " is not finite; the weights overflow in this prompt",
          __FILE__, __LINE__};
}

}  // namespace

result<std::int32_t> pick_highest(std::span<const float> logits) {
  float highest = -std::numeric_limits<float>::infinity();
  std::size_t home = 0;  // the first chunk that has it
  for (std::size_t from = 0; from < logits.size(); from += chunk) {
    const overview seen = look_over(logits.subspan(from, std::min(chunk, logits.size() - from)));
    if (!seen.is_finite) return failure(not_finite(logits, from));
    if (seen.highest <= highest) continue;
    highest = seen.highest;
    home = from;
  }
  while (home < logits.size() && logits[home] != highest) ++home;
  return static_cast<std::int32_t>(home);
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
