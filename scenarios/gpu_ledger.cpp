// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/gpu_ledger.h"

#include <algorithm>

#include "runtime/telemetry/check.h"

namespace assay::scenarios {
namespace {

// norm+qkv, attention, output projection, gated MLP, down projection.
constexpr std::int64_t kernels_per_layer = 5;
constexpr std::int64_t events_of_load = 2;
constexpr std::int64_t events_per_bracket = 2;
constexpr std::int64_t events_per_pass = 3;  // before, between, and after its kernels and its copy
constexpr std::int64_t word_bytes = 4;       // an id, a table entry, an f32
constexpr std::int64_t state_bytes = 32;  // token, position, two counts, best choice, prompt length
constexpr std::int64_t grant_bytes = 64;
constexpr std::int64_t part_bytes = 256;
// Pages and activations.
constexpr std::int64_t arena_buffers = 2;
// Of a request, beside the table's: ids, state, rotary frequencies.
constexpr std::int64_t copies_of_prompt = 3;

// A prompt of so many ids goes through a pass, in chunks of so many.
constexpr std::int64_t least_pass_tokens = 8;
constexpr std::int64_t least_streamed_pass_tokens = 1;
constexpr std::int64_t chunk_tokens = 2048;
constexpr std::int64_t library_workspace_bytes = std::int64_t{32} << 20;
// Two norms, append, attention, gate.
constexpr std::int64_t pass_kernels_per_layer = 5;
// Output and down projection, beside q, k, v and gate, up.
constexpr std::int64_t lone_products_per_layer = 2;
constexpr std::int64_t most_kernels_per_product = 2;

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

// What a chunk writes: the residual in f32, rows between products in the weights' type.
std::int64_t placed_scratch(const model_shape& m, const cache_shape& cache) {
  const std::int64_t tokens = std::min(chunk_tokens, cache.context_tokens);
  const std::int64_t values[] = {std::max(m.hidden, m.heads * m.head_dim),
                                 (m.heads + 2 * m.kv_heads) * m.head_dim, 2 * m.intermediate,
                                 m.intermediate};
  std::int64_t bytes = rounded(tokens * m.hidden * word_bytes, part_bytes);
  for (const std::int64_t each : values)
    bytes += rounded(tokens * each * element_bytes(m), part_bytes);
  return bytes + rounded(library_workspace_bytes, part_bytes);
}

bool is_pass(const request_shape& r, const gpu_mode& mode) {
  return mode.has_passes &&
         r.prompt_tokens >= (mode.paging ? least_streamed_pass_tokens : least_pass_tokens);
}

std::int64_t chunks_of(const request_shape& r) {
  return (r.prompt_tokens + chunk_tokens - 1) / chunk_tokens;
}

// Matrices that follow each other without a gap are one product. Where there are biases, they lie
// between.
std::int64_t products_per_layer(const model_shape& m) {
  const auto fills_its_grant = [&](std::int64_t rows) {
    return rows * m.hidden * element_bytes(m) % grant_bytes == 0;
  };
  const bool is_k_next = fills_its_grant(m.heads * m.head_dim) && !m.has_qkv_bias;
  const bool is_v_next = fills_its_grant(m.kv_heads * m.head_dim) && !m.has_qkv_bias;
  std::int64_t of_attention = 3;
  if (is_v_next) of_attention = is_k_next ? 1 : 2;
  return of_attention + (fills_its_grant(m.intermediate) ? 1 : 2) + lone_products_per_layer;
}

std::int64_t products_of(const model_shape& m, const request_shape& r, const gpu_mode& mode) {
  const std::int64_t a_chunk =
      mode.paging ? mode.paging->input_products + m.layers * lone_products_per_layer
                  : m.layers * products_per_layer(m);
  return chunks_of(r) * a_chunk;
}

// Weights in one buffer; under a limit those that stay, and the area that the others pass through.
std::int64_t weight_buffers(const std::optional<paging_shape>& paging) {
  if (!paging) return 1;
  return (paging->resident_bytes > 0 ? 1 : 0) + (paging->staging_bytes > 0 ? 1 : 0);
}

std::int64_t buffers_of(bool has_passes, const std::optional<paging_shape>& paging) {
  return arena_buffers + (has_passes ? 1 : 0) + weight_buffers(paging);
}

// The embedding once a chunk, the head once.
std::int64_t own_kernels_of(const model_shape& m, const request_shape& r) {
  return chunks_of(r) * (m.layers * pass_kernels_per_layer + 1) + 1;
}

}  // namespace

std::int64_t gpu_launches_per_position(const model_shape& m) {
  return kernels_per_layer * m.layers + 1;
}

std::int64_t gpu_kv_page_bytes(const model_shape& m, const cache_shape& cache) {
  return token_bytes(m) * cache.page_tokens;
}

std::int64_t gpu_steps(const request_shape& r, const gpu_mode& mode) {
  return r.decode_steps + (is_pass(r, mode) ? 0 : r.prompt_tokens);
}

std::int64_t gpu_prefill_calls(const model_shape& m, const request_shape& r, const gpu_mode& mode) {
  return is_pass(r, mode) ? own_kernels_of(m, r) + products_of(m, r, mode) : 0;
}

launch_bounds gpu_launches(const model_shape& m, const request_shape& r, const gpu_mode& mode) {
  const std::int64_t of_steps = gpu_steps(r, mode) * gpu_launches_per_position(m);
  if (!is_pass(r, mode)) return {of_steps, of_steps};
  const std::int64_t known = of_steps + own_kernels_of(m, r);
  const std::int64_t products = products_of(m, r, mode);
  return {known + products, known + most_kernels_per_product * products};
}

std::int64_t gpu_parts(const request_shape& r, const gpu_mode& mode) {
  return gpu_steps(r, mode) + (is_pass(r, mode) ? chunks_of(r) : 0);
}

std::int64_t gpu_headless_parts(const request_shape& r, const gpu_mode& mode) {
  return is_pass(r, mode) ? chunks_of(r) - 1 : 0;
}

std::int64_t gpu_step_calls(const model_shape& m, const request_shape& r, const gpu_mode& mode) {
  return gpu_steps(r, mode) * (mode.is_streamed() ? gpu_launches_per_position(m) : 1);
}

std::int64_t gpu_weight_reads(const model_shape& m, const request_shape& r, const gpu_mode& mode) {
  const std::int64_t of_steps = gpu_steps(r, mode) * pass_weight_bytes(m, 1);
  if (!is_pass(r, mode)) return of_steps;
  std::int64_t ends = 0;
  for (const weight_entry& weight : weights_of(m))
    if (weight.name.rfind("model.layers.", 0) != 0)
      ends += weight.elements * m.width_bytes_of_tensor.at(weight.name);
  const std::int64_t layers = weight_bytes(m) - ends;
  return of_steps + pass_weight_bytes(m, r.prompt_tokens) + (chunks_of(r) - 1) * layers;
}

std::int64_t gpu_input_bytes_beside_ids(const model_shape& m, const cache_shape& cache,
                                        std::int64_t prompt_tokens) {
  return word_bytes * (m.head_dim / 2 + pages_for(prompt_tokens, cache)) + state_bytes;
}

arena_shape gpu_arena_of(const model_shape& m, const cache_shape& cache, bool has_passes,
                         const std::optional<paging_shape>& paging) {
  return {
      paging ? paging->resident_placed_bytes + paging->staging_bytes : placed_weights(m),
      rounded(pages_for(cache.context_tokens, cache) * gpu_kv_page_bytes(m, cache), grant_bytes),
      placed_activations(m, cache) + (has_passes ? placed_scratch(m, cache) : 0)};
}

std::optional<paging_shape> gpu_paging_of(const model_shape& m, const cache_shape& cache,
                                          const limit_shape& limit, bool has_passes) {
  const arena_shape arena = gpu_arena_of(m, cache, has_passes);
  return paging_within(
      m, limit.limit_bytes - limit.reserved_bytes - arena.kv_bytes - arena.activations_bytes);
}

std::vector<expectation> expect_gpu_load(const model_shape& m, const cache_shape& cache,
                                         bool has_passes,
                                         const std::optional<paging_shape>& paging) {
  using id = telemetry::counter_id;
  const auto tensors = static_cast<std::int64_t>(weights_of(m).size());
  const std::int64_t copies = paging ? paging->resident_weights : tensors;
  const std::int64_t events = copies > 0 ? events_of_load : 0;
  const std::int64_t arena_bytes = gpu_arena_of(m, cache, has_passes, paging).total_bytes();
  std::vector<expectation> all{
      {id::checkpoint_file_bytes, m.file_bytes},
      {id::checkpoint_tensor_bytes, m.payload_bytes},
      {id::checkpoint_loaded_tensors_count, copies},
      {id::checkpoint_unused_tensors_count, m.header_tensor_count - tensors},
      {id::weights_h2d_bytes, paging ? paging->resident_bytes : weight_bytes(m)},
      {id::weights_h2d_copies_count, copies},
      {id::arena_live_bytes, arena_bytes},
      {id::arena_peak_bytes, arena_bytes},
      {id::arena_allocations_count, buffers_of(has_passes, paging)},
      {id::kv_capacity_pages, pages_for(cache.context_tokens, cache)},
      {id::device_submissions_count, copies + events},
      {id::device_events_count, events},
      {id::device_syncs_count, copies > 0 ? 1 : 0},
  };
  if (paging) add_placement(all, *paging);
  return all;
}

std::vector<expectation> expect_gpu_unload(bool has_passes,
                                           const std::optional<paging_shape>& paging) {
  using id = telemetry::counter_id;
  return {{id::arena_live_bytes, 0}, {id::arena_frees_count, buffers_of(has_passes, paging)}};
}

namespace {

// What is streamed in each part, and what its operators' events and waits add to a request.
paging_traffic streamed_of(const request_shape& r, const gpu_mode& mode) {
  const paging_shape& p = *mode.paging;
  const std::int64_t parts = gpu_parts(r, mode);
  const std::int64_t headless = gpu_headless_parts(r, mode);
  return {parts * p.step_weights - headless * p.head_weights,
          parts * p.step_bytes - headless * p.head_bytes,
          parts * p.streamed_weights() - headless * p.head_streamed_weights,
          parts * p.streamed_bytes() - headless * p.head_streamed_bytes,
          parts * p.streamed_operators - headless * (p.head_streamed_weights > 0 ? 1 : 0)};
}

}  // namespace

std::vector<expectation> expect_gpu_request(const model_shape& m, const cache_shape& cache,
                                            const request_shape& r, const gpu_mode& mode) {
  using id = telemetry::counter_id;
  const std::int64_t passes = 1 + r.decode_steps;
  const std::int64_t positions = r.prompt_tokens + r.decode_steps;
  const std::int64_t steps = gpu_steps(r, mode);
  const std::int64_t captures = mode.is_first && steps > 0 && !mode.is_streamed() ? 1 : 0;
  const std::int64_t calls = gpu_prefill_calls(m, r, mode);
  const std::int64_t pages = pages_for(positions, cache);
  // The prompt's pages come with it; each later one in a step of its own. An id that the host drew
  // comes with every step.
  const std::int64_t later_pages = pages - pages_for(r.prompt_tokens, cache);
  const std::int64_t drawn_ids = mode.is_sampled ? r.decode_steps : 0;
  const std::int64_t input_copies = copies_of_prompt + 1 + later_pages + drawn_ids;
  const std::int64_t later_inputs = mode.is_sampled ? r.decode_steps : later_pages;
  const std::int64_t parts = mode.paging ? gpu_parts(r, mode) : passes;
  const paging_traffic streamed = mode.paging ? streamed_of(r, mode) : paging_traffic{};
  // A part before the last of its pass has no copy behind its kernels.
  const std::int64_t events = events_per_pass * passes +
                              events_per_bracket * (parts - passes + 1 + later_inputs) +
                              streamed.events();
  const std::int64_t input_bytes =
      gpu_input_bytes_beside_ids(m, cache, positions) + word_bytes * (r.prompt_tokens + drawn_ids);
  std::vector<expectation> all{
      {id::inputs_h2d_bytes, input_bytes},
      {id::inputs_h2d_copies_count, input_copies},
      {id::compute_weight_bytes, gpu_weight_reads(m, r, mode)},
      {id::prefill_calls_count, calls},
      {id::graph_captures_count, captures},
      {id::graph_instantiations_count, captures},
      {id::graph_replays_count, mode.is_streamed() ? 0 : steps},
      {id::graph_eager_steps_count, mode.is_streamed() ? steps : 0},
      {id::kv_allocated_pages, pages},
      {id::kv_freed_pages, pages},
      {id::kv_append_bytes, positions * token_bytes(m)},
      {id::kv_read_bytes, positions * (positions + 1) / 2 * token_bytes(m)},
      {id::device_submissions_count, gpu_step_calls(m, r, mode) + calls + input_copies + passes +
                                         events + streamed.page_ins_count},
      {id::device_events_count, events},
      {id::device_syncs_count, parts},
      {id::sampling_draws_count, passes},
      {id::sampling_candidates_count, passes * m.vocab_rows},
      {id::sampling_random_draws_count, mode.is_sampled ? passes : 0},
      {id::engine_requests_count, 1},
      {id::engine_prompt_tokens, r.prompt_tokens},
      {id::engine_generated_tokens, passes},
      {id::engine_decode_steps_count, r.decode_steps},
  };
  const bool is_chosen = !mode.is_sampled;
  all.push_back({is_chosen ? id::choices_d2h_bytes : id::logits_d2h_bytes,
                 passes * word_bytes * (is_chosen ? 1 : m.vocab_rows)});
  all.push_back({is_chosen ? id::choices_d2h_copies_count : id::logits_d2h_copies_count, passes});
  if (mode.paging) add_traffic(all, *mode.paging, streamed);
  return all;
}

}  // namespace assay::scenarios
