// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Weights drawn at random, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "scenarios/synth/shape.h"

namespace assay::synth {

/// bf16 values of one tensor. A matrix is uniform with the variance 1 / columns, so that what it is
/// multiplied with keeps its size; a gain is uniform in [0.5, 1.5).
/// Element n depends on the seed, the tensor's name and n alone.
class random_weights {
 public:
  random_weights(const tensor& of, std::uint64_t seed);

  /// Elements from `first` on. `first` is a multiple of 4.
  void fill(std::uint64_t first, std::span<std::uint16_t> to) const;

 private:
  std::uint64_t key_;
  std::vector<std::uint16_t> values_;  // by 16 random bits
};

}  // namespace assay::synth
