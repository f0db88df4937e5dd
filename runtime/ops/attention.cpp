// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/ops/dot.h"
#include "runtime/ops/exponential.h"
#include "runtime/ops/multiply.h"
#include "runtime/ops/vector_kernels.h"

namespace assay::ops {
namespace {

// What one query token keeps while it walks the pages, for the heads of one group.
struct softmax_state {
  std::array<float, max_group_heads> peak;
  std::array<float, max_group_heads> sum;
  std::array<std::array<float, max_page_tokens>, max_group_heads> shares;
};

struct group_view {
  const float* q;  // (heads, head_dim)
  float* out;      // (heads, head_dim)
  std::uint32_t heads;
  std::uint32_t head_dim;
};

// Some of a sequence's pages, together at most max_page_tokens rows: scored, weighed and mixed at
// once, so that what a softmax costs a page is paid once for many.
struct page_span {
  std::uint32_t first;  // page
  std::uint32_t end;
  std::uint32_t rows;
};

// Where the rows of one KV head lie in a page, and how many of them are of the context.
struct head_pages {
  const attention_arguments& of;
  std::uint32_t kv_head;
  std::uint32_t context_tokens;
  bool is_last;  // of the heads that are walked one after the other

  std::size_t stride() const { return std::size_t{of.kv_heads} * of.head_dim; }
  std::size_t page_floats() const { return of.kv.page_tokens * stride(); }
  std::uint32_t page_count() const {
    return (context_tokens + of.kv.page_tokens - 1) / of.kv.page_tokens;
  }
  const float* first_key(std::uint32_t index) const {
    return of.kv.pages + of.kv.table[index] * 2 * page_floats() + kv_head * of.head_dim;
  }
  const float* first_value(std::uint32_t index) const { return first_key(index) + page_floats(); }
  page_rows rows_at(const float* first, const float* next, std::uint32_t index) const {
    return {first, stride(),
            std::min(context_tokens - index * of.kv.page_tokens, of.kv.page_tokens), next};
  }

  // A span's values follow its keys, the next span's keys its values, the next head's keys all.
  page_rows keys(std::uint32_t index, const page_span& span) const {
    const float* next = index + 1 < span.end ? first_key(index + 1) : first_value(span.first);
    return rows_at(first_key(index), next, index);
  }
  page_rows values(std::uint32_t index, const page_span& span) const {
    const float* next = nullptr;
    if (index + 1 < span.end)
      next = first_value(index + 1);
    else if (index + 1 < page_count())
      next = first_key(index + 1);
    else if (!is_last)
      next = first_key(0) + of.head_dim;
    return rows_at(first_value(index), next, index);
  }
};

void score_span(const head_pages& pages, const page_span& span, const group_view& group,
                softmax_state& state, device::block_context& context) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(group.head_dim));
  std::uint32_t at = 0;
  for (std::uint32_t i = span.first; i < span.end; ++i) {
    const page_rows page = pages.keys(i, span);
    kernels_in_force().score_rows(page, group.q, group.heads, group.head_dim, scale,
                                  state.shares[0].data() + at, max_page_tokens);
    context.kv_bytes += std::uint64_t{page.count} * group.head_dim * sizeof(float);
    at += page.count;
  }
}

// Scores become shares of the peak so far; what was mixed under a lower peak shrinks to match.
void weigh_span(std::uint32_t count, const group_view& group, softmax_state& state) {
  for (std::uint32_t h = 0; h < group.heads; ++h) {
    float* shares = state.shares[h].data();
    const float peak = largest_of(shares, count, state.peak[h]);
    const float shrink = std::exp(state.peak[h] - peak);
    exponentials(shares, count, peak);
    state.sum[h] = state.sum[h] * shrink + sum_of(shares, count);
    state.peak[h] = peak;
    if (shrink == 1.0F) continue;
    float* out = group.out + h * group.head_dim;
    for (std::uint32_t i = 0; i < group.head_dim; ++i) out[i] *= shrink;
  }
}

void mix_span(const head_pages& pages, const page_span& span, const group_view& group,
              const softmax_state& state, device::block_context& context) {
  std::uint32_t at = 0;
  for (std::uint32_t i = span.first; i < span.end; ++i) {
    const page_rows page = pages.values(i, span);
    kernels_in_force().mix_rows(page, state.shares[0].data() + at, max_page_tokens, group.heads,
                                group.head_dim, group.out);
    context.kv_bytes += std::uint64_t{page.count} * group.head_dim * sizeof(float);
    at += page.count;
  }
}

void attend(const head_pages& pages, const group_view& group, softmax_state& state,
            device::block_context& context) {
  const std::uint32_t page_tokens = pages.of.kv.page_tokens;
  const std::uint32_t page_count = pages.page_count();
  const std::uint32_t pages_at_once = max_page_tokens / page_tokens;
  std::fill_n(group.out, group.heads * group.head_dim, 0.0F);
  state.peak.fill(-std::numeric_limits<float>::infinity());
  state.sum.fill(0.0F);
  for (std::uint32_t first = 0; first < page_count; first += pages_at_once) {
    const std::uint32_t end = std::min(page_count, first + pages_at_once);
    const std::uint32_t rows =
        std::min(pages.context_tokens, end * page_tokens) - first * page_tokens;
    const page_span span{first, end, rows};
    score_span(pages, span, group, state, context);
    weigh_span(span.rows, group, state);
    mix_span(pages, span, group, state, context);
  }
  for (std::uint32_t h = 0; h < group.heads; ++h)
    for (std::uint32_t i = 0; i < group.head_dim; ++i)
      group.out[h * group.head_dim + i] /= state.sum[h];
}

void attend_head(const attention_arguments& a, std::uint32_t kv_head, bool is_last,
                 softmax_state& state, device::block_context& context) {
  const std::uint32_t group_heads = a.heads / a.kv_heads;
  for (std::uint32_t t = 0; t < a.tokens; ++t) {
    const std::size_t head = std::size_t{t} * a.heads + kv_head * group_heads;
    const group_view group{a.q + head * a.head_dim, a.out + head * a.head_dim, group_heads,
                           a.head_dim};
    attend({a, kv_head, a.start + t + 1, is_last}, group, state, context);
  }
}

void attention_body(const attention_arguments& a, device::block_context& context) {
  softmax_state state;
  const row_range kv_heads = rows_of_block(a.kv_heads, context);
  for (std::uint32_t head = kv_heads.begin; head < kv_heads.end; ++head)
    attend_head(a, head, head + 1 == a.kv_heads, state, context);
}

// A block that reads less than this is over before another thread has heard of it.
constexpr std::uint64_t least_block_bytes = 64 * 1024;

}  // namespace

device::kernel attention(const attention_arguments& arguments) {
  const attention_arguments& a = arguments;
  const std::uint64_t rows = std::uint64_t{a.tokens} * (a.start + a.tokens) * a.kv_heads;
  const std::uint64_t blocks = rows * a.head_dim * 2 * sizeof(float) / least_block_bytes;
  return device::kernel::bind<attention_arguments, attention_body>(
      "attention", arguments,
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, std::uint64_t{a.kv_heads})));
}

}  // namespace assay::ops
