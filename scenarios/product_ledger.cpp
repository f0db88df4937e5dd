// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/product_ledger.h"

namespace assay::scenarios {
namespace {

using telemetry::arithmetic;

// A row of `columns` weights a result.
std::int64_t product(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t operations_per_multiply_add = 2;
  return operations_per_multiply_add * rows * columns;
}

std::int64_t queries(const model_shape& m) {
  return m.heads * m.head_dim;
}

// 1 + 2 + … + tokens: each token sees itself and all before it.
std::int64_t contexts_up_to(std::int64_t tokens) {
  return tokens * (tokens + 1) / 2;
}

bool is_every_weight_2_bytes(const model_shape& m) {
  for (const weight_entry& each : weights_of(m)) {
    const auto width = m.width_bytes_of_tensor.find(each.name);
    if (width == m.width_bytes_of_tensor.end() || width->second != 2) return false;
  }
  return true;
}

std::int64_t token_bytes(const model_shape& m, const std::optional<gpu_mode>& on_gpu) {
  return on_gpu ? gpu_kv_page_bytes(m, {.context_tokens = 1, .page_tokens = 1}) : kv_token_bytes(m);
}

std::int64_t prefill_weight_bytes(const model_shape& m, const request_shape& r,
                                  const std::optional<gpu_mode>& on_gpu) {
  if (!on_gpu) return pass_weight_bytes(m, r.prompt_tokens - r.reused_tokens);
  request_shape prompt = r;
  prompt.decode_steps = 0;
  return gpu_weight_reads(m, prompt, *on_gpu);
}

telemetry::planned_request planned(const model_shape& m, const request_shape& r,
                                   const std::optional<gpu_mode>& on_gpu) {
  telemetry::planned_request out;
  out.prompt_tokens = r.prompt_tokens;
  const std::int64_t tokens = r.prompt_tokens - r.reused_tokens;
  const std::int64_t contexts = contexts_up_to(r.prompt_tokens) - contexts_up_to(r.reused_tokens);
  // A GPU's prompt that is too short for a pass goes through as many steps, each with its logits.
  const bool is_in_steps = on_gpu && gpu_prefill_calls(m, r, *on_gpu) == 0;
  out.prefill_operations = pass_operations(m, tokens, contexts, is_in_steps ? tokens : 1);
  out.prefill_bytes = prefill_weight_bytes(m, r, on_gpu) + r.prompt_tokens * token_bytes(m, on_gpu);
  if (on_gpu && !is_in_steps && is_every_weight_2_bytes(m))
    out.prefill_by = arithmetic::bf16_tensor;
  return out;
}

}  // namespace

std::int64_t qkv_operations(const model_shape& m) {
  return product(queries(m) + 2 * m.kv_heads * m.head_dim, m.hidden);
}

std::int64_t output_operations(const model_shape& m) {
  return product(m.hidden, queries(m));
}

std::int64_t gate_and_up_operations(const model_shape& m) {
  return 2 * product(m.intermediate, m.hidden);
}

std::int64_t down_operations(const model_shape& m) {
  return product(m.hidden, m.intermediate);
}

std::int64_t attention_operations(const model_shape& m) {
  return 2 * product(m.heads, m.head_dim);
}

std::int64_t head_operations(const model_shape& m) {
  return product(m.vocab_rows, m.hidden);
}

std::int64_t pass_operations(const model_shape& m, std::int64_t tokens, std::int64_t context_tokens,
                             std::int64_t logits_rows) {
  const std::int64_t of_a_layer =
      qkv_operations(m) + output_operations(m) + gate_and_up_operations(m) + down_operations(m);
  return m.layers * (tokens * of_a_layer + context_tokens * attention_operations(m)) +
         logits_rows * head_operations(m);
}

std::vector<telemetry::planned_request> plan_requests(const model_shape& m,
                                                      std::span<const request_shape> requests,
                                                      const std::optional<gpu_mode>& on_gpu) {
  std::vector<telemetry::planned_request> out;
  for (const request_shape& each : requests) out.push_back(planned(m, each, on_gpu));
  return out;
}

}  // namespace assay::scenarios
