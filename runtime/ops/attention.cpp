// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/ops/dot.h"
#include "runtime/ops/exponential.h"

namespace assay::ops {
namespace {

// What one query token keeps while it walks the pages, for the heads of one group.
struct softmax_state {
  std::array<float, max_group_heads> peak;
  std::array<float, max_group_heads> sum;
  std::array<std::array<float, max_page_tokens>, max_group_heads> shares;
};

// The rows of one page that one KV head has.
struct page_rows {
  const float* keys;
  const float* values;
  std::size_t stride;
  std::uint32_t count;
};

struct group_view {
  const float* q;  // (heads, head_dim)
  float* out;      // (heads, head_dim)
  std::uint32_t heads;
  std::uint32_t head_dim;
};

std::array<const float*, 4> quad_at(const float* rows, std::size_t stride, std::uint32_t first,
                                    std::uint32_t live) {
  std::array<const float*, 4> quad;
  for (std::uint32_t i = 0; i < 4; ++i) quad[i] = rows + (first + std::min(i, live - 1)) * stride;
  return quad;
}

void score_page(const page_rows& page, const group_view& group, softmax_state& state,
                device::block_context& context) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(group.head_dim));
  for (std::uint32_t first = 0; first < page.count; first += 4) {
    const std::uint32_t live = std::min(page.count - first, 4U);
    const auto keys = quad_at(page.keys, page.stride, first, live);
    for (std::uint32_t h = 0; h < group.heads; h += 2) {
      const std::uint32_t other = std::min(h + 1, group.heads - 1);
      std::array<std::array<float, 4>, 2> sums;
      dot_quad_pair(keys, group.q + h * group.head_dim, group.q + other * group.head_dim,
                    group.head_dim, sums);
      for (std::uint32_t i = 0; i < live; ++i) {
        state.shares[h][first + i] = sums[0][i] * scale;
        state.shares[other][first + i] = sums[other - h][i] * scale;
      }
    }
    context.kv_bytes += std::uint64_t{live} * group.head_dim * sizeof(float);
  }
}

// Scores become shares of the peak so far; what was mixed under a lower peak shrinks to match.
void weigh_page(std::uint32_t count, const group_view& group, softmax_state& state) {
  for (std::uint32_t h = 0; h < group.heads; ++h) {
    float* shares = state.shares[h].data();
    const float peak = std::max(state.peak[h], *std::max_element(shares, shares + count));
    const float shrink = std::exp(state.peak[h] - peak);
    exponentials(shares, count, peak);
    float sum = 0.0F;
    for (std::uint32_t i = 0; i < count; ++i) sum += shares[i];
    state.sum[h] = state.sum[h] * shrink + sum;
    state.peak[h] = peak;
    if (shrink == 1.0F) continue;
    float* out = group.out + h * group.head_dim;
    for (std::uint32_t i = 0; i < group.head_dim; ++i) out[i] *= shrink;
  }
}

void mix_page(const page_rows& page, const group_view& group, const softmax_state& state,
              device::block_context& context) {
  for (std::uint32_t first = 0; first < page.count; first += 4) {
    const std::uint32_t live = std::min(page.count - first, 4U);
    const auto values = quad_at(page.values, page.stride, first, live);
    for (std::uint32_t h = 0; h < group.heads; ++h) {
      std::array<float, 4> shares{};
      for (std::uint32_t i = 0; i < live; ++i) shares[i] = state.shares[h][first + i];
      add_weighted_quad(values, shares, group.head_dim, group.out + h * group.head_dim);
    }
    context.kv_bytes += std::uint64_t{live} * group.head_dim * sizeof(float);
  }
}

page_rows page_at(const attention_arguments& a, std::uint32_t kv_head, std::uint32_t index,
                  std::uint32_t context_tokens) {
  const std::size_t stride = std::size_t{a.kv_heads} * a.head_dim;
  const std::size_t page_floats = a.kv.page_tokens * stride;
  const float* keys = a.kv.pages + a.kv.table[index] * 2 * page_floats + kv_head * a.head_dim;
  const std::uint32_t rows = context_tokens - index * a.kv.page_tokens;
  return {keys, keys + page_floats, stride, std::min(rows, a.kv.page_tokens)};
}

void attend(const attention_arguments& a, const group_view& group, std::uint32_t context_tokens,
            softmax_state& state, device::block_context& context) {
  std::fill_n(group.out, group.heads * group.head_dim, 0.0F);
  state.peak.fill(-std::numeric_limits<float>::infinity());
  state.sum.fill(0.0F);
  for (std::uint32_t i = 0; i * a.kv.page_tokens < context_tokens; ++i) {
    const page_rows page = page_at(a, context.block, i, context_tokens);
    score_page(page, group, state, context);
    weigh_page(page.count, group, state);
    mix_page(page, group, state, context);
  }
  for (std::uint32_t h = 0; h < group.heads; ++h)
    for (std::uint32_t i = 0; i < group.head_dim; ++i)
      group.out[h * group.head_dim + i] /= state.sum[h];
}

void attention_body(const attention_arguments& a, device::block_context& context) {
  const std::uint32_t group_heads = a.heads / a.kv_heads;
  softmax_state state;
  for (std::uint32_t t = 0; t < a.tokens; ++t) {
    const std::size_t head = std::size_t{t} * a.heads + context.block * group_heads;
    const group_view group{a.q + head * a.head_dim, a.out + head * a.head_dim, group_heads,
                           a.head_dim};
    attend(a, group, a.start + t + 1, state, context);
  }
}

}  // namespace

device::kernel attention(const attention_arguments& arguments) {
  return device::kernel::bind<attention_arguments, attention_body>("attention", arguments,
                                                                   arguments.kv_heads);
}

}  // namespace assay::ops
