// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/activations.h"

#include <utility>

namespace assay::engine {
namespace {

// Places the members one after the other from `base` and returns where the next would go; with a
// null base it only measures.
std::uint64_t place(activations& a, const checkpoint::model_config& c, std::uint64_t tokens,
                    std::byte* base) {
  std::uint64_t at = 0;
  const auto put = [&](auto*& member, std::uint64_t count) {
    if (base != nullptr)
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(base + at);
    at += memory::granted_bytes(count * 4);
  };
  const std::uint64_t queries = std::uint64_t{c.head_count} * c.head_dim;
  const std::uint64_t keys = std::uint64_t{c.kv_head_count} * c.head_dim;
  put(a.ids, tokens);
  put(a.x, tokens * c.hidden_size);
  put(a.normed, tokens * c.hidden_size);
  put(a.rotary, tokens * c.head_dim);
  put(a.q, tokens * queries);
  put(a.k, tokens * keys);
  put(a.v, tokens * keys);
  put(a.mixed, tokens * queries);
  put(a.gate, tokens * c.intermediate_size);
  put(a.up, tokens * c.intermediate_size);
  put(a.logits, c.vocab_rows);
  return at;
}

}  // namespace

std::uint64_t activations::needed_bytes(const checkpoint::model_config& config,
                                        std::uint64_t tokens) {
  activations measured;
  return place(measured, config, tokens, nullptr);
}

result<activations> activations::create(memory::arena& from, const checkpoint::model_config& config,
                                        std::uint64_t tokens) {
  activations a;
  ASSAY_TRY_ASSIGN(a.buffer, from.allocate(needed_bytes(config, tokens)));
  place(a, config, tokens, a.buffer.address());
  return a;
}

}  // namespace assay::engine
