// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/rotary.h"

#include "runtime/ops/dot.h"
#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

// The halves of a head, and of its cosines and sines.
ASSAY_CLONES void rotate_halves(float* __restrict low, float* __restrict high,
                                const float* __restrict cosines, const float* __restrict sines,
                                std::uint32_t half) {
  for (std::uint32_t i = 0; i < half; ++i) {
    const float before = low[i];
    low[i] = before * cosines[i] - high[i] * sines[i];
    high[i] = high[i] * cosines[i] + before * sines[i];
  }
}

void rotate_head(float* head, const float* rotary, std::uint32_t head_dim) {
  const std::uint32_t half = head_dim / 2;
  rotate_halves(head, head + half, rotary, rotary + half, half);
}

void rotate_all(const qk_rotary_arguments& a, bool is_queries, device::block_context& context) {
  float* values = is_queries ? a.q : a.k;
  const weight& gain = is_queries ? a.q_gain : a.k_gain;
  const std::uint32_t heads = is_queries ? a.heads : a.kv_heads;
  if (gain.data != nullptr) rms_norm(gain, a.eps, values, a.tokens * heads, values, context);
  for (std::uint32_t t = 0; t < a.tokens; ++t)
    for (std::uint32_t h = 0; h < heads; ++h)
      rotate_head(values + (std::size_t{t} * heads + h) * a.head_dim,
                  a.rotary + std::size_t{t} * a.head_dim, a.head_dim);
}

void qk_rotary_body(const qk_rotary_arguments& a, device::block_context& context) {
  if (context.block == 0) rotate_all(a, true, context);
  if (context.block + 1 == context.blocks) rotate_all(a, false, context);
}

// A step's few heads are rotated before another thread has heard of them.
constexpr std::uint32_t least_tokens_to_split = 16;

}  // namespace

device::kernel qk_rotary(const qk_rotary_arguments& arguments) {
  return device::kernel::bind<qk_rotary_arguments, qk_rotary_body>(
      "qk_rotary", arguments, arguments.tokens < least_tokens_to_split ? 1 : 2);
}

}  // namespace assay::ops
