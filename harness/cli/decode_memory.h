// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What one request takes of a device's memory. A model's whole context may be 100 times that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/cli/checkpoint_look.h"
#include "runtime/engine/engine.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Tokens that the KV pages must hold; never more than the model was made for, so that a longer
/// prompt is refused in the words of its context.
std::uint32_t context_for_request(const checkpoint::model_config& config, std::size_t prompt_tokens,
                                  std::uint32_t max_new_tokens);

/// Bytes of the arena that hold the weights and that context.
/// Errors: out_of_memory, where the machine has less available (where /proc/meminfo tells nothing,
/// it is not asked); as the engine's own for a shape or an option that it refuses.
result<std::uint64_t> arena_for(const checkpoint_seen& seen, const engine::engine_options& wanted);

}  // namespace assay::cli
