// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a checkpoint's config to the shape of a step on a GPU and the memory that it works in. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/checkpoint/model_config.h"
#include "runtime/graph/decode_step.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Errors: unusable_input, naming what no kernel covers.
result<void> check_covered(const checkpoint::model_config& config);

/// Angle per position of each pair of a head. Shape: (head_dim / 2).
std::vector<float> rope_frequencies(const checkpoint::model_config& config);

graph::decode_shape shape_of(const checkpoint::model_config& config, std::uint32_t page_tokens,
                             std::uint32_t context_tokens, ops::cuda::element type);

/// Where attention on tensor cores is the faster one: 1 to 4 % of a step at 128 tokens, 9 to 11 %
/// at 4,096. With heads of 128 values of which two share a KV head it costs 7 % at 128 tokens and
/// brings 4 % at 4,096 (H200, docs/evidence/h200-2026-12-02.md).
bool takes_tensor_attention(const graph::decode_shape& shape);

/// Lays a step's buffers out from `base` on, each on a boundary of 256 bytes, and returns how many
/// bytes they take. A base of null only adds up.
std::uint64_t carve(std::byte* base, const graph::decode_shape& shape,
                    graph::decode_buffers& buffers);

/// Bytes of all layers' pages.
std::uint64_t pages_bytes(const graph::decode_shape& shape);

}  // namespace assay::engine
