// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Operations that a pass must do in products, two a multiply-add, from the model's shape alone.
// Norms, rotations, softmax, activations and additions of biases and residuals are not counted: of
// a matrix with a thousand columns they are a thousandth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/telemetry/planned_launch.h"
#include "scenarios/gpu_ledger.h"
#include "scenarios/ledger.h"

namespace assay::scenarios {

/// Of one token and one layer.
std::int64_t qkv_operations(const model_shape& model);
std::int64_t output_operations(const model_shape& model);
std::int64_t gate_and_up_operations(const model_shape& model);
std::int64_t down_operations(const model_shape& model);
/// Of one token, one layer, and one token of its context: a score and its share of the mix in each
/// head.
std::int64_t attention_operations(const model_shape& model);
/// Of one row of logits.
std::int64_t head_operations(const model_shape& model);

/// Of `tokens` tokens whose contexts come to `context_tokens` in all, with so many rows of logits.
std::int64_t pass_operations(const model_shape& model, std::int64_t tokens,
                             std::int64_t context_tokens, std::int64_t logits_rows);

/// Each request as it must run; `on_gpu` of a GPU in a mode.
std::vector<telemetry::planned_request> plan_requests(const model_shape& model,
                                                      std::span<const request_shape> requests,
                                                      const std::optional<gpu_mode>& on_gpu);

}  // namespace assay::scenarios
