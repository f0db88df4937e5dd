// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/decode_memory.h"

#include <algorithm>

#include "probes/process/host_limits.h"
#include "runtime/engine/memory_need.h"

namespace assay::cli {

std::uint32_t context_for_request(const checkpoint::model_config& config, std::size_t prompt_tokens,
                                  std::uint32_t max_new_tokens) {
  const std::uint64_t wanted = std::uint64_t{prompt_tokens} + max_new_tokens;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, config.max_context_tokens));
}

result<std::uint64_t> arena_for(const checkpoint_seen& seen, const engine::engine_options& wanted) {
  ASSAY_TRY_ASSIGN(const kv::kv_layout layout, engine::layout_of(seen.config, wanted));
  const engine::memory_need need =
      engine::need_of(seen.resident_bytes, seen.config, layout, wanted.context_tokens);
  const auto available_bytes = probes::available_memory_bytes();
  if (available_bytes) {
    ASSAY_TRY(engine::check_fits(need, static_cast<std::uint64_t>(*available_bytes),
                                 "available memory",
                                 "free some, give a smaller --max-new-tokens, or set --arena"));
  }
  return need.total_bytes();
}

}  // namespace assay::cli
