// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/memory_need.h"

#include <string>

#include "runtime/engine/activations.h"
#include "runtime/memory/arena.h"
#include "runtime/ops/attention.h"

namespace assay::engine {
namespace {

// rms_norm normalises a head in place, which needs its gain in one tile.
constexpr std::uint32_t max_head_dim = 1024;

result<void> check_heads(const checkpoint::model_config& c) {
  if (c.head_dim > max_head_dim || c.head_dim % 2 != 0)
    return ASSAY_FAIL(unusable_input, "config.json: head_dim " + std::to_string(c.head_dim) +
                                          " must be even and at most " +
                                          std::to_string(max_head_dim));
  if (c.head_count / c.kv_head_count > ops::max_group_heads)
    return ASSAY_FAIL(unusable_input,
                      "config.json: more than " + std::to_string(ops::max_group_heads) +
                          " attention heads share a key/value head; no operator has room for that");
  return {};
}

}  // namespace

result<kv::kv_layout> layout_of(const checkpoint::model_config& config,
                                const engine_options& options) {
  ASSAY_TRY(check_heads(config));
  if (options.kv_page_tokens == 0 || options.kv_page_tokens > ops::max_page_tokens)
    return ASSAY_FAIL(usage, "kv_page_tokens " + std::to_string(options.kv_page_tokens) +
                                 " must lie in 1.." + std::to_string(ops::max_page_tokens));
  if (options.context_tokens > config.max_context_tokens)
    return ASSAY_FAIL(usage, "context_tokens " + std::to_string(options.context_tokens) +
                                 " exceeds the " + std::to_string(config.max_context_tokens) +
                                 " positions that the checkpoint was made for; ask for fewer");
  return kv::kv_layout{config.layer_count, config.kv_head_count, config.head_dim,
                       options.kv_page_tokens,
                       kv::pages_for(context_of(config, options), options.kv_page_tokens)};
}

memory_need need_of(std::uint64_t weights_bytes, const checkpoint::model_config& config,
                    const kv::kv_layout& layout, std::uint32_t context_tokens) {
  return {weights_bytes, memory::granted_bytes(layout.total_bytes()),
          activations::needed_bytes(config, context_tokens)};
}

result<void> check_fits(const memory_need& need, std::uint64_t limit_bytes, std::string_view whose,
                        std::string_view remedy) {
  if (need.total_bytes() <= limit_bytes) return {};
  return ASSAY_FAIL(out_of_memory,
                    std::string(whose) + ": weights " + std::to_string(need.weights_bytes) +
                        " + KV pages " + std::to_string(need.kv_bytes) + " + activations " +
                        std::to_string(need.activations_bytes) + " = " +
                        std::to_string(need.total_bytes()) + " bytes exceed the limit of " +
                        std::to_string(limit_bytes) + "; " + std::string(remedy));
}

}  // namespace assay::engine
