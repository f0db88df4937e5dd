// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From logits to a token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::sampling {

/// The id of the highest logit, the lowest such id on a tie.
/// Errors: unusable_input, where a logit is NaN or infinite, naming its id.
result<std::int32_t> pick_highest(std::span<const float> logits);

/// The id that `draw`, uniform in [0, 1), falls on where each id has the width of its probability
/// at `temperature` > 0. Errors: as pick_highest. `weights` is scratch.
result<std::int32_t> pick_at(std::span<const float> logits, double temperature, double draw,
                             std::vector<double>& weights);

/// Chooses the tokens of one request and writes runtime.sampling.*.
/// Threads: one. Ownership: the counter writer must outlive it.
class sampler {
 public:
  explicit sampler(telemetry::counter_writer& counters) : counters_(counters) {}

  /// A request begins; its draws count from 0.
  void begin(double temperature, std::uint64_t seed);
  /// Errors: as pick_highest.
  result<std::int32_t> draw(std::span<const float> logits);

 private:
  telemetry::counter_writer& counters_;
  double temperature_ = 0.0;
  std::uint64_t seed_ = 0;
  std::uint64_t draws_ = 0;
  std::vector<double> weights_;
};

}  // namespace assay::sampling
