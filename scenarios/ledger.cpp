// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/ledger.h"

#include "runtime/telemetry/check.h"

namespace assay::scenarios {
namespace {

constexpr std::int64_t activation_width_bytes = 4;  // f32
constexpr std::int64_t token_id_width_bytes = 4;    // int32
// Kernels a layer: norm+qkv with their biases, qk-norm+rope or rope alone, attention, out+residual,
// norm+gate/up, down+residual.
constexpr std::int64_t launches_per_layer = 6;
// The embedding and the head.
constexpr std::int64_t launches_at_ends = 2;
// An event before and after each of: input copy, kernels, logits copy.
constexpr std::int64_t events_per_pass = 6;
// An event before and after the weight copies.
constexpr std::int64_t events_of_load = 2;

constexpr const char* embedding_name = "model.embed_tokens.weight";
constexpr const char* head_name = "lm_head.weight";

void add_layer(const model_shape& m, std::int64_t layer, std::vector<weight_entry>& to) {
  const std::string prefix = "model.layers." + std::to_string(layer) + ".";
  const auto add = [&](const char* part, std::int64_t elements) {
    to.push_back({prefix + part, elements});
  };
  const std::int64_t query = m.heads * m.head_dim;
  const std::int64_t key = m.kv_heads * m.head_dim;
  add("input_layernorm.weight", m.hidden);
  add("post_attention_layernorm.weight", m.hidden);
  add("self_attn.q_proj.weight", query * m.hidden);
  add("self_attn.k_proj.weight", key * m.hidden);
  add("self_attn.v_proj.weight", key * m.hidden);
  add("self_attn.o_proj.weight", m.hidden * query);
  for (const char* part : {"mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight"})
    add(part, m.hidden * m.intermediate);
  if (m.has_qk_norm) {
    add("self_attn.q_norm.weight", m.head_dim);
    add("self_attn.k_norm.weight", m.head_dim);
  }
  if (!m.has_qkv_bias) return;
  add("self_attn.q_proj.bias", query);
  add("self_attn.k_proj.bias", key);
  add("self_attn.v_proj.bias", key);
}

std::int64_t bytes_of(const model_shape& m, const weight_entry& weight) {
  const auto width = m.width_bytes_of_tensor.find(weight.name);
  ASSAY_CHECK(width != m.width_bytes_of_tensor.end(), "no header names a weight of the ledger");
  return weight.elements * width->second;
}

std::int64_t tensors_of(const model_shape& m) {
  return static_cast<std::int64_t>(weights_of(m).size());
}

// Pages that a request has in common with a kept prompt, and that it never writes to.
std::int64_t shared_pages(const cache_shape& cache, const request_shape& r) {
  return r.reused_tokens / cache.page_tokens;
}

// Appends touch one page in a decode step, and every page of the prompt that is run in prefill;
// keys and values of each layer are a copy each.
std::int64_t append_copies(const model_shape& m, const cache_shape& cache, const request_shape& r) {
  return 2 * m.layers *
         (pages_for(r.prompt_tokens, cache) - shared_pages(cache, r) + r.decode_steps);
}

// Pages that are shared when they are written to: where the run begins within a page of the kept
// prompt, and where the first decode step goes on in the last page of its own.
std::int64_t copied_pages(const cache_shape& cache, const request_shape& r) {
  const bool begins_within = r.reused_tokens % cache.page_tokens != 0;
  const bool goes_on_within =
      r.is_kept && r.decode_steps > 0 && r.prompt_tokens % cache.page_tokens != 0;
  return (begins_within ? 1 : 0) + (goes_on_within ? 1 : 0);
}

// Every grant of the arena is a multiple of this.
constexpr std::int64_t grant_bytes = 64;
// Weights, KV pages, activations.
constexpr std::int64_t arena_buffers = 3;

std::int64_t granted(std::int64_t bytes) {
  return (bytes + grant_bytes - 1) / grant_bytes * grant_bytes;
}

// Each tensor is placed on a boundary of its own.
std::int64_t placed_weights(const model_shape& m) {
  std::int64_t bytes = 0;
  for (const weight_entry& weight : weights_of(m)) bytes += granted(bytes_of(m, weight));
  return bytes;
}

// A row of each kind a token, and one row of logits.
std::int64_t placed_activations(const model_shape& m, std::int64_t tokens) {
  const auto rows = [&](std::int64_t width) {
    return granted(tokens * width * activation_width_bytes);
  };
  return rows(1) + 2 * rows(m.hidden) + rows(m.head_dim) + 2 * rows(m.heads * m.head_dim) +
         2 * rows(m.kv_heads * m.head_dim) + 2 * rows(m.intermediate) +
         granted(m.vocab_rows * activation_width_bytes);
}

}  // namespace

std::int64_t kv_page_bytes(const model_shape& m, const cache_shape& cache) {
  return kv_token_bytes(m) * cache.page_tokens;
}

arena_shape arena_of(const model_shape& m, const cache_shape& cache) {
  return {placed_weights(m),
          granted(pages_for(cache.context_tokens, cache) * kv_page_bytes(m, cache)),
          placed_activations(m, cache.context_tokens)};
}

std::vector<expectation> expect_unload() {
  using id = telemetry::counter_id;
  return {{id::arena_live_bytes, 0}, {id::arena_frees_count, arena_buffers}};
}

std::vector<weight_entry> weights_of(const model_shape& m) {
  std::vector<weight_entry> all{{embedding_name, m.vocab_rows * m.hidden},
                                {"model.norm.weight", m.hidden}};
  if (!m.is_head_tied) all.push_back({head_name, m.vocab_rows * m.hidden});
  for (std::int64_t layer = 0; layer < m.layers; ++layer) add_layer(m, layer, all);
  return all;
}

std::int64_t weight_bytes(const model_shape& m) {
  std::int64_t bytes = 0;
  for (const weight_entry& weight : weights_of(m)) bytes += bytes_of(m, weight);
  return bytes;
}

// The table is read by rows, and whole only where it is the head, too.
std::int64_t pass_weight_bytes(const model_shape& m, std::int64_t tokens) {
  const std::int64_t rows = bytes_of(m, {embedding_name, tokens * m.hidden});
  const std::int64_t table = bytes_of(m, {embedding_name, m.vocab_rows * m.hidden});
  return rows + weight_bytes(m) - (m.is_head_tied ? 0 : table);
}

std::int64_t kv_token_bytes(const model_shape& m) {
  return m.layers * 2 * m.kv_heads * m.head_dim * activation_width_bytes;
}

std::int64_t kv_read_bytes(const model_shape& m, const request_shape& r) {
  const std::int64_t tokens = r.prompt_tokens + r.decode_steps;
  const std::int64_t rows = tokens * (tokens + 1) / 2 - r.reused_tokens * (r.reused_tokens + 1) / 2;
  return rows * kv_token_bytes(m);
}

std::int64_t pass_launches(const model_shape& m) {
  return launches_per_layer * m.layers + launches_at_ends;
}

std::int64_t pages_for(std::int64_t tokens, const cache_shape& cache) {
  return (tokens + cache.page_tokens - 1) / cache.page_tokens;
}

std::vector<expectation> expect_load(const model_shape& m, const cache_shape& cache) {
  using id = telemetry::counter_id;
  const std::int64_t copies = tensors_of(m);
  return {
      {id::checkpoint_file_bytes, m.file_bytes},
      {id::checkpoint_tensor_bytes, m.payload_bytes},
      {id::checkpoint_loaded_tensors_count, copies},
      {id::checkpoint_unused_tensors_count, m.header_tensor_count - copies},
      {id::weights_h2d_bytes, weight_bytes(m)},
      {id::weights_h2d_copies_count, copies},
      {id::arena_live_bytes, arena_of(m, cache).total_bytes()},
      {id::arena_peak_bytes, arena_of(m, cache).total_bytes()},
      {id::arena_allocations_count, arena_buffers},
      {id::kv_capacity_pages, pages_for(cache.context_tokens, cache)},
      {id::device_submissions_count, copies + events_of_load},
      {id::device_events_count, events_of_load},
      {id::device_syncs_count, 1},
  };
}

std::vector<expectation> expect_request(const model_shape& m, const cache_shape& cache,
                                        const request_shape& r) {
  using id = telemetry::counter_id;
  const std::int64_t passes = 1 + r.decode_steps;
  const std::int64_t run_tokens = r.prompt_tokens - r.reused_tokens;
  const std::int64_t tokens = run_tokens + r.decode_steps;
  const std::int64_t launches = passes * pass_launches(m);
  const std::int64_t copied = copied_pages(cache, r);
  const std::int64_t copies = 2 * passes + append_copies(m, cache, r) + copied * m.layers;
  const std::int64_t events = passes * events_per_pass;
  // A page that is copied at the end of a kept prompt stays behind as the prompt's.
  const std::int64_t pages = pages_for(r.prompt_tokens + r.decode_steps, cache) -
                             shared_pages(cache, r) + (r.is_kept ? copied : 0);
  const std::int64_t kept = r.is_kept ? pages_for(r.prompt_tokens, cache) : 0;
  return {
      {id::inputs_h2d_bytes, tokens * token_id_width_bytes},
      {id::inputs_h2d_copies_count, passes},
      // Every weight is resident, the table with them.
      {id::paging_page_ins_count, 0},
      {id::paging_h2d_bytes, 0},
      {id::embedding_h2d_copies_count, 0},
      {id::embedding_h2d_bytes, 0},
      {id::compute_launches_count, launches},
      {id::compute_weight_bytes,
       pass_weight_bytes(m, run_tokens) + r.decode_steps * pass_weight_bytes(m, 1)},
      {id::kv_allocated_pages, pages},
      {id::kv_freed_pages, pages - kept},
      {id::kv_reused_tokens, r.reused_tokens},
      {id::kv_copied_pages, copied},
      {id::kv_copy_bytes, copied * kv_page_bytes(m, cache)},
      {id::kv_copy_copies_count, copied * m.layers},
      {id::kv_spilled_pages, 0},
      {id::kv_spill_bytes, 0},
      {id::kv_spill_copies_count, 0},
      {id::kv_filled_pages, 0},
      {id::kv_fill_bytes, 0},
      {id::kv_fill_copies_count, 0},
      {id::kv_append_bytes, tokens * kv_token_bytes(m)},
      {id::kv_append_copies_count, append_copies(m, cache, r)},
      {id::kv_read_bytes, kv_read_bytes(m, r)},
      {id::logits_d2h_bytes, passes * m.vocab_rows * activation_width_bytes},
      {id::logits_d2h_copies_count, passes},
      {id::device_submissions_count, launches + copies + events},
      {id::device_events_count, events},
      {id::device_syncs_count, passes},
      {id::sampling_draws_count, passes},
      {id::sampling_candidates_count, passes * m.vocab_rows},
      {id::engine_requests_count, 1},
      {id::engine_prompt_tokens, r.prompt_tokens},
      {id::engine_generated_tokens, passes},
      {id::engine_decode_steps_count, r.decode_steps},
  };
}

std::vector<expectation> expect_no_sharing() {
  using id = telemetry::counter_id;
  std::vector<expectation> none;
  for (const id counter : {id::kv_copied_pages, id::kv_copy_bytes, id::kv_copy_copies_count,
                           id::kv_spilled_pages, id::kv_spill_bytes, id::kv_spill_copies_count,
                           id::kv_filled_pages, id::kv_fill_bytes, id::kv_fill_copies_count})
    none.push_back({counter, 0});
  return none;
}

std::vector<expectation> expect_levels(const cache_shape& cache, std::int64_t context_tokens,
                                       const kept_shape& kept) {
  using id = telemetry::counter_id;
  // Once it has gone on behind them, the page in which they end is not shared any more.
  const std::int64_t shared = context_tokens > kept.shared_tokens
                                  ? kept.shared_tokens / cache.page_tokens
                                  : pages_for(kept.shared_tokens, cache);
  return {
      {id::kv_live_pages,
       pages_for(kept.kept_tokens, cache) + pages_for(context_tokens, cache) - shared},
      {id::kv_shared_pages, shared},
      {id::engine_context_tokens, context_tokens},
  };
}

}  // namespace assay::scenarios
