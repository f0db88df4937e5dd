// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an engine takes of the arena, known before anything is copied.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/checkpoint/model_config.h"
#include "runtime/engine/engine.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Errors: usage, naming the option: a context longer than the model's, a page size out of range;
/// unusable_input for a head shape that the operators do not have room for.
result<kv::kv_layout> layout_of(const checkpoint::model_config& config,
                                const engine_options& options);

/// Tokens that the engine accepts; the last page may have room for a few more.
constexpr std::uint32_t context_of(const checkpoint::model_config& config,
                                   const engine_options& options) {
  return options.context_tokens == 0 ? config.max_context_tokens : options.context_tokens;
}

struct memory_need {
  std::uint64_t weights_bytes = 0;
  std::uint64_t kv_bytes = 0;
  std::uint64_t activations_bytes = 0;

  std::uint64_t total_bytes() const { return weights_bytes + kv_bytes + activations_bytes; }
};

memory_need need_of(std::uint64_t weights_bytes, const checkpoint::model_config& config,
                    const kv::kv_layout& layout, std::uint32_t context_tokens);

/// `whose` limit it is, and the `remedy`: the host's arena has a knob, a GPU has what it has.
/// Errors: out_of_memory, naming each part, the limit and what to change.
result<void> check_fits(const memory_need& need, std::uint64_t limit_bytes,
                        std::string_view whose = "arena",
                        std::string_view remedy =
                            "raise the limit (--arena, ASSAY_HOST_ARENA_BYTES) or "
                            "load with a shorter context");

}  // namespace assay::engine
