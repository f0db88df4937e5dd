// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Causal attention of a step's queries over the pages that hold keys and values.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"

namespace assay::ops {

/// Bounds of what a block keeps on its stack.
inline constexpr std::uint32_t max_page_tokens = 256;
inline constexpr std::uint32_t max_group_heads = 64;

/// One layer's pages.
/// Shapes: page p holds keys (page_tokens, kv_heads, head_dim) f32 at pages + p · 2 · page_floats,
/// values in the same shape page_floats later, page_floats = page_tokens · kv_heads · head_dim.
/// `table[i]` is the page of positions [i · page_tokens, (i + 1) · page_tokens): host memory that
/// kernels read in place, as mapped memory would be.
struct page_view {
  const float* pages = nullptr;
  const std::uint32_t* table = nullptr;
  std::uint32_t page_tokens = 0;
};

/// Shapes: q and out (tokens, heads, head_dim) f32. Keys and values of all tokens up to start +
/// tokens are in the pages already.
struct attention_arguments {
  const float* q = nullptr;
  float* out = nullptr;
  page_view kv;
  std::uint32_t tokens = 0;
  std::uint32_t start = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
};

/// A block takes KV heads, each with the group of query heads that shares it: one where the context
/// is long. Softmax in f32, up to max_page_tokens rows at a time.
/// Tallies each cached row once a query token and KV head: keys where they are scored, values where
/// they are mixed.
device::kernel attention(const attention_arguments& arguments);

}  // namespace assay::ops
