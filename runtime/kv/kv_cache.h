// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Keys and values of the tokens seen so far, in pages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/kv/page_pool.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::kv {

/// Shapes: one arena buffer (layers, capacity_pages, 2, page_tokens, kv_heads, head_dim) of
/// elements: of each layer and page the keys, then the values. A token's keys lie together, so a
/// run of tokens within a page is one copy. A GPU's kernels lay a page out otherwise, in as many
/// bytes.
struct kv_layout {
  std::uint32_t layers = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  std::uint32_t page_tokens = 0;
  std::uint32_t capacity_pages = 0;
  std::uint32_t element_bytes = sizeof(float);

  std::uint64_t token_bytes() const {  ///< keys, or values, of one token in one layer
    return std::uint64_t{kv_heads} * head_dim * element_bytes;
  }
  std::uint64_t page_bytes() const { return 2 * page_tokens * token_bytes(); }
  std::uint64_t layer_bytes() const { return capacity_pages * page_bytes(); }
  std::uint64_t total_bytes() const { return layers * layer_bytes(); }
  std::uint64_t context_tokens() const { return std::uint64_t{capacity_pages} * page_tokens; }
};

/// Pages that hold `context_tokens` tokens.
constexpr std::uint32_t pages_for(std::uint64_t context_tokens, std::uint32_t page_tokens) {
  return static_cast<std::uint32_t>((context_tokens + page_tokens - 1) / page_tokens);
}

/// A run of a step's tokens that lies within one page.
struct page_run {
  std::uint32_t page = 0;
  std::uint32_t slot = 0;         ///< place of the first one within the page
  std::uint32_t first_token = 0;  ///< counted from the step's first token
  std::uint32_t tokens = 0;
};

/// The cache of one sequence. Says where keys and values go; the engine copies them there.
/// Writes runtime.kv.{capacity,allocated,freed,live}_pages.
/// Threads: one. Ownership: the counter writer must outlive it.
class kv_cache {
 public:
  /// Errors: out_of_memory from the arena.
  static result<kv_cache> create(memory::arena& from, telemetry::counter_writer& counters,
                                 const kv_layout& layout);

  /// Makes room for `tokens` more and returns where they go. Valid until the next call.
  /// Errors: unusable_input, where the pool has no page left; nothing is taken then.
  result<const std::vector<page_run>*> extend(std::uint32_t tokens);
  /// Gives every page back.
  void release();

  std::uint32_t cached_tokens() const { return cached_tokens_; }
  std::uint32_t held_pages() const { return held_pages_; }
  const kv_layout& layout() const { return layout_; }
  const page_pool& pool() const { return pool_; }
  /// The block table: the page of each page_tokens positions. Its address is fixed for life.
  const std::uint32_t* table() const { return table_.data(); }
  /// First byte of a layer's pages.
  std::byte* layer(std::uint32_t index) const;

 private:
  kv_cache(memory::device_buffer buffer, telemetry::counter_writer& counters,
           const kv_layout& layout);

  memory::device_buffer buffer_;
  telemetry::counter_writer* counters_;
  kv_layout layout_;
  page_pool pool_;
  std::vector<std::uint32_t> table_;  // capacity_pages entries, the first `held_pages_` in use
  std::vector<page_run> runs_;
  std::uint32_t held_pages_ = 0;
  std::uint32_t cached_tokens_ = 0;
};

}  // namespace assay::kv
