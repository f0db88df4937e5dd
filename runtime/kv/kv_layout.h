// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How keys and values lie in pages. Pure.
#pragma once

#include <cstdint>

namespace assay::kv {

/// Shapes: (layers, capacity_pages, 2, page_tokens, kv_heads, head_dim) of elements: of each layer
/// and page the keys, then the values. A token's keys lie together, so a run of tokens within a
/// page is one copy. A page has a part in every layer; the parts lie layer_bytes() apart. A GPU's
/// kernels lay a part out otherwise, in as many bytes.
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
  std::uint64_t page_bytes() const { return 2 * page_tokens * token_bytes(); }  ///< in one layer
  std::uint64_t whole_page_bytes() const { return layers * page_bytes(); }
  std::uint64_t layer_bytes() const { return capacity_pages * page_bytes(); }
  std::uint64_t total_bytes() const { return layers * layer_bytes(); }
  std::uint64_t context_tokens() const { return std::uint64_t{capacity_pages} * page_tokens; }
};

/// Pages that hold `context_tokens` tokens.
constexpr std::uint32_t pages_for(std::uint64_t context_tokens, std::uint32_t page_tokens) {
  return static_cast<std::uint32_t>((context_tokens + page_tokens - 1) / page_tokens);
}

/// Pages of a ring that always holds the last `window_tokens` tokens whole, wherever in a page the
/// first of them lies.
constexpr std::uint32_t ring_pages_for(std::uint64_t window_tokens, std::uint32_t page_tokens) {
  return pages_for(window_tokens + page_tokens - 1, page_tokens);
}

/// A run of a step's tokens that lies within one page.
struct page_run {
  std::uint32_t page = 0;         ///< slot of the device's memory
  std::uint32_t slot = 0;         ///< place of the first token within the page
  std::uint32_t first_token = 0;  ///< counted from the step's first token
  std::uint32_t tokens = 0;
};

}  // namespace assay::kv
