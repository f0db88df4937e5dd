// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/gpu_ledger.h"

#include "runtime/telemetry/check.h"

namespace assay::scenarios {
namespace {

// norm+qkv, attention, output projection, gated MLP, down projection.
constexpr std::int64_t kernels_per_layer = 5;
constexpr std::int64_t events_of_load = 2;
constexpr std::int64_t events_per_bracket = 2;
constexpr std::int64_t word_bytes = 4;    // an id, a table entry, an f32
constexpr std::int64_t state_bytes = 32;  // token, position, two counts, best choice, prompt length
constexpr std::int64_t grant_bytes = 64;
constexpr std::int64_t part_bytes = 256;
constexpr std::int64_t arena_buffers = 3;
// Of a request, beside the table's: ids, state, rotary frequencies.
constexpr std::int64_t copies_of_prompt = 3;

std::int64_t rounded(std::int64_t bytes, std::int64_t to) {
  return (bytes + to - 1) / to * to;
}

std::int64_t element_bytes(const model_shape& m) {
  const auto embedding = m.width_bytes_of_tensor.find("model.embed_tokens.weight");
  ASSAY_CHECK(embedding != m.width_bytes_of_tensor.end(), "no header names the embedding");
  return embedding->second;
}

std::int64_t token_bytes(const model_shape& m) {
  return m.layers * 2 * m.kv_heads * m.head_dim * element_bytes(m);
}

std::int64_t placed_weights(const model_shape& m) {
  std::int64_t bytes = 0;
  for (const weight_entry& weight : weights_of(m))
    bytes += rounded(weight.elements * m.width_bytes_of_tensor.at(weight.name), grant_bytes);
  return bytes;
}

std::int64_t placed_activations(const model_shape& m, const cache_shape& cache) {
  const std::int64_t pages = pages_for(cache.context_tokens, cache);
  const std::int64_t positions = pages * cache.page_tokens;
  const std::int64_t words[] = {m.hidden,
                                (m.heads + 2 * m.kv_heads) * m.head_dim,
                                m.heads * m.head_dim,
                                m.intermediate,
                                m.vocab_rows,
                                m.head_dim / 2,
                                pages,
                                positions,
                                positions};
  std::int64_t bytes = rounded(state_bytes, part_bytes);
  for (const std::int64_t each : words) bytes += rounded(each * word_bytes, part_bytes);
  return bytes;
}

}  // namespace

std::int64_t gpu_launches_per_position(const model_shape& m) {
  return kernels_per_layer * m.layers + 1;
}

std::int64_t gpu_kv_page_bytes(const model_shape& m, const cache_shape& cache) {
  return token_bytes(m) * cache.page_tokens;
}

arena_shape gpu_arena_of(const model_shape& m, const cache_shape& cache) {
  return {
      placed_weights(m),
      rounded(pages_for(cache.context_tokens, cache) * gpu_kv_page_bytes(m, cache), grant_bytes),
      placed_activations(m, cache)};
}

std::vector<expectation> expect_gpu_load(const model_shape& m, const cache_shape& cache) {
  using id = telemetry::counter_id;
  const auto copies = static_cast<std::int64_t>(weights_of(m).size());
  const std::int64_t arena_bytes = gpu_arena_of(m, cache).total_bytes();
  return {
      {id::checkpoint_file_bytes, m.file_bytes},
      {id::checkpoint_tensor_bytes, m.payload_bytes},
      {id::checkpoint_loaded_tensors_count, copies},
      {id::checkpoint_unused_tensors_count, m.header_tensor_count - copies},
      {id::weights_h2d_bytes, weight_bytes(m)},
      {id::weights_h2d_copies_count, copies},
      {id::arena_live_bytes, arena_bytes},
      {id::arena_peak_bytes, arena_bytes},
      {id::arena_allocations_count, arena_buffers},
      {id::kv_capacity_pages, pages_for(cache.context_tokens, cache)},
      {id::device_submissions_count, copies + events_of_load},
      {id::device_events_count, events_of_load},
      {id::device_syncs_count, 1},
  };
}

std::vector<expectation> expect_gpu_request(const model_shape& m, const cache_shape& cache,
                                            const request_shape& r, bool is_first) {
  using id = telemetry::counter_id;
  const std::int64_t passes = 1 + r.decode_steps;
  const std::int64_t positions = r.prompt_tokens + r.decode_steps;
  const std::int64_t pages = pages_for(positions, cache);
  // The prompt's pages come with it; each later one in a step of its own.
  const std::int64_t later_pages = pages - pages_for(r.prompt_tokens, cache);
  const std::int64_t input_copies = copies_of_prompt + 1 + later_pages;
  const std::int64_t events = events_per_bracket * (2 * passes + 1 + later_pages);
  return {
      {id::inputs_h2d_bytes, word_bytes * (r.prompt_tokens + m.head_dim / 2 + pages) + state_bytes},
      {id::inputs_h2d_copies_count, input_copies},
      {id::compute_launches_count, positions * gpu_launches_per_position(m)},
      {id::compute_weight_bytes, positions * pass_weight_bytes(m, 1)},
      {id::graph_captures_count, is_first ? 1 : 0},
      {id::graph_instantiations_count, is_first ? 1 : 0},
      {id::graph_replays_count, positions},
      {id::graph_eager_steps_count, 0},
      {id::kv_allocated_pages, pages},
      {id::kv_freed_pages, pages},
      {id::kv_append_bytes, positions * token_bytes(m)},
      {id::kv_read_bytes, positions * (positions + 1) / 2 * token_bytes(m)},
      {id::choices_d2h_bytes, passes * word_bytes},
      {id::choices_d2h_copies_count, passes},
      {id::device_submissions_count, positions + input_copies + passes + events},
      {id::device_events_count, events},
      {id::device_syncs_count, passes},
      {id::sampling_draws_count, passes},
      {id::sampling_candidates_count, passes * m.vocab_rows},
      {id::sampling_random_draws_count, 0},
      {id::engine_requests_count, 1},
      {id::engine_prompt_tokens, r.prompt_tokens},
      {id::engine_generated_tokens, passes},
      {id::engine_decode_steps_count, r.decode_steps},
  };
}

}  // namespace assay::scenarios
