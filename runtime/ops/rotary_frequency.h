// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How fast each pair of a head turns with the position.
#pragma once

#include <cstdint>

namespace assay::ops {

/// Llama 3's stretch for contexts beyond the one that the model was first trained on: a pair that
/// turns more than `high_freq_factor` times in it keeps its frequency, one that turns less than
/// `low_freq_factor` times has it divided by `factor`, and between them the two are mixed.
/// A factor of 1 changes nothing, whatever the rest.
struct rotary_scaling {
  float factor = 1.0F;
  float low_freq_factor = 1.0F;
  float high_freq_factor = 4.0F;
  float original_context_tokens = 0.0F;
};

/// Radians a position of pair `pair`, of head_dim / 2. Rounded to f32 where Hugging Face rounds: at
/// position 2,000 an angle from a frequency kept in double differs by 1e-4 rad, which moves logits.
/// Source: "llama3" of transformers' rope types; the frequencies in tests/engine/rotary_test.cpp.
float rotary_frequency(std::uint32_t pair, std::uint32_t head_dim, double theta,
                       const rotary_scaling& scaling);

}  // namespace assay::ops
