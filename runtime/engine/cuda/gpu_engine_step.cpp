// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One run on a GPU: inputs in, a pass or replays, choices or logits out, one wait, counters.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/engine/cuda/gpu_engine_state.h"
#include "runtime/engine/cuda/gpu_shape.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {
namespace {

using telemetry::counter_id;

graph::decode_layer layer_of(const layer_weights& from, void* pages) {
  graph::decode_layer layer;
  layer.input_norm = from.input_norm.data;
  layer.q = from.q.data;
  layer.k = from.k.data;
  layer.v = from.v.data;
  layer.q_bias = from.q_bias.data;
  layer.k_bias = from.k_bias.data;
  layer.v_bias = from.v_bias.data;
  layer.q_norm = from.q_norm.data;
  layer.k_norm = from.k_norm.data;
  layer.o = from.o.data;
  layer.mlp_norm = from.mlp_norm.data;
  layer.gate = from.gate.data;
  layer.up = from.up.data;
  layer.down = from.down.data;
  layer.pages = pages;
  return layer;
}

graph::decode_weights weights_of(const resident_model& model, const kv::kv_cache& cache) {
  graph::decode_weights weights;
  weights.embedding = model.embedding.data;
  weights.final_norm = model.final_norm.data;
  weights.head = model.head.data;
  for (std::uint32_t i = 0; i < model.layers.size(); ++i)
    weights.layers.push_back(layer_of(model.layers[i], cache.layer(i)));
  return weights;
}

std::int64_t layer_bytes_of(const resident_model& model) {
  std::uint64_t bytes = 0;
  for (const layer_weights& l : model.layers)
    for (const ops::weight* each :
         {&l.input_norm, &l.q, &l.k, &l.v, &l.q_bias, &l.k_bias, &l.v_bias, &l.q_norm, &l.k_norm,
          &l.o, &l.mlp_norm, &l.gate, &l.up, &l.down})
      if (each->data != nullptr) bytes += each->bytes();
  return static_cast<std::int64_t>(bytes);
}

// Of the embedding one row, beside what the head reads of it where it is tied.
std::int64_t end_bytes_of(const resident_model& model) {
  return static_cast<std::int64_t>(model.embedding.row_bytes() + model.final_norm.bytes() +
                                   model.head.bytes());
}

}  // namespace

gpu_engine::state::state(device::device& device, device::cuda_device& kernels,
                         telemetry::counter_writer& writer, resident_model weights,
                         kv::kv_cache pages, submitter stream, device::pinned_buffer chosen_ids,
                         std::uint32_t context_tokens)
    : on(device),
      gpu(kernels),
      counters(writer),
      model(std::move(weights)),
      cache(std::move(pages)),
      compute(std::move(stream)),
      chosen(std::move(chosen_ids)),
      flow(writer, model.config, context_tokens),
      sampler(writer) {}

gpu_engine::state::~state() {
  if (compute.has_pending()) (void)compute.synchronize();
}

result<void> gpu_engine::state::open(const graph::decode_shape& of, std::uint32_t context_tokens,
                                     const gpu_engine_options& options) {
  shape = of;
  ASSAY_TRY_ASSIGN(inputs_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(compute_span, event_pair::create(on));
  // What a step computed is copied right behind it: one event ends the one and begins the other.
  outputs_span.before = compute_span.after;
  ASSAY_TRY_ASSIGN(outputs_span.after, on.create_event());
  ASSAY_TRY_ASSIGN(activations, model.arena->allocate(carve(nullptr, shape, buffers)));
  carve(activations.address(), shape, buffers);
  layer_weight_bytes_ = layer_bytes_of(model);
  step_weight_bytes_ = layer_weight_bytes_ + end_bytes_of(model);
  frequencies = rope_frequencies(model.config);
  ops::cuda::launch_site site;
  site.stream = gpu.native(compute.stream());
  site.blocks = static_cast<std::uint32_t>(gpu.multiprocessors());
  site.has_tensor_attention = takes_tensor_attention(shape);
  const graph::decode_weights weights = weights_of(model, cache);
  plan = std::make_unique<graph::decode_step>(shape, weights, buffers, site);
  step = std::make_unique<graph::captured_step>(site.stream, [this] { return plan->submit(); });
  if (options.is_eager) step->run_eagerly("asked for");
  pass = gpu_prefill::open(*model.arena, {shape, weights, buffers, site, context_tokens},
                           options.prefill);
  pass.enqueue_through([this](std::uint32_t kernels, const auto& work) -> result<void> {
    ASSAY_TRY(compute.submit_kernels(kernels, [&](void*) { return work(); }));
    ++tally_.pass_calls;
    tally_.pass_launches += kernels;
    return {};
  });
  publish_graph();
  return {};
}

void gpu_engine::state::begin_sequence(std::span<const std::int32_t> prompt) {
  ids.assign(prompt.begin(), prompt.end());
  is_drawn = false;
}

void gpu_engine::state::end_sequence() {
  cache.release();
  counters.set(counter_id::engine_context_tokens, 0);
}

result<void> gpu_engine::state::run(std::uint32_t tokens, std::uint32_t choices) {
  const std::uint32_t start = cache.cached_tokens();
  const std::uint32_t pages_before = cache.held_pages();
  tally_ = {};
  const auto submitted = [&]() -> result<void> {
    ASSAY_TRY(cache.extend(tokens));
    ASSAY_TRY(submit_inputs(pages_before, start));
    ASSAY_TRY(submit_tokens(start, tokens));
    return is_drawn ? submit_logits() : submit_choices(start + tokens, choices);
  }();
  // Waits even where a submission was refused: host memory is being read and written.
  const auto waited = compute.synchronize();
  if (!submitted) return failure(submitted.error());
  if (!waited) return failure(waited.error());
  return publish(start, tokens);
}

result<std::span<const std::int32_t>> gpu_engine::state::choices(std::uint32_t count) const {
  const std::span<const std::int32_t> given(reinterpret_cast<const std::int32_t*>(chosen.data()),
                                            count);
  for (std::uint32_t i = 0; i < count; ++i)
    if (given[i] < 0)
      return ASSAY_FAIL(unusable_input, "the logits after position " +
                                            std::to_string(cache.cached_tokens() - count + i) +
                                            " are no numbers; the weights overflow");
  return given;
}

result<std::int32_t> gpu_engine::state::next_token() {
  if (is_drawn) {
    ASSAY_TRY_ASSIGN(drawn_token_, sampler.draw({reinterpret_cast<const float*>(logits->data()),
                                                 shape.vocab_rows}));
    return drawn_token_;
  }
  ASSAY_TRY_ASSIGN(const auto given, choices(1));
  count_draws(1);
  return given[0];
}

void gpu_engine::state::count_draws(std::int64_t draws) {
  counters.add(counter_id::sampling_draws_count, draws);
  counters.add(counter_id::sampling_candidates_count, draws * shape.vocab_rows);
}

result<void> gpu_engine::state::submit_input(const void* to, const void* from,
                                             std::uint64_t bytes) {
  if (!has_inputs_) ASSAY_TRY(compute.record(inputs_span.before));
  has_inputs_ = true;
  ASSAY_TRY(compute.copy(const_cast<void*>(to), from, bytes, device::copy_direction::h2d));
  counters.add(counter_id::inputs_h2d_bytes, static_cast<std::int64_t>(bytes));
  counters.add(counter_id::inputs_h2d_copies_count, 1);
  return {};
}

result<void> gpu_engine::state::submit_inputs(std::uint32_t first_new_page, std::uint32_t start) {
  const device::scoped_range label(on, telemetry::range::inputs);
  has_inputs_ = false;
  if (start == 0) {
    ASSAY_TRY(submit_input(buffers.forced, ids.data(), ids.size() * sizeof(std::int32_t)));
    ops::cuda::decode_state first;
    first.token = ids.front();
    first.forced_count = static_cast<std::uint32_t>(ids.size());
    ASSAY_TRY(submit_input(buffers.state, &first, sizeof first));
    ASSAY_TRY(
        submit_input(buffers.frequencies, frequencies.data(), frequencies.size() * sizeof(float)));
  }
  // In the place of what the head's kernel chose.
  if (is_drawn && start >= ids.size())
    ASSAY_TRY(submit_input(&buffers.state->token, &drawn_token_, sizeof drawn_token_));
  const std::uint32_t taken = cache.held_pages() - first_new_page;
  if (taken > 0)
    ASSAY_TRY(submit_input(buffers.table + first_new_page, cache.table() + first_new_page,
                           taken * sizeof(std::uint32_t)));
  return has_inputs_ ? compute.record(inputs_span.after) : result<void>{};
}

result<void> gpu_engine::state::submit_tokens(std::uint32_t start, std::uint32_t tokens) {
  const device::scoped_range label(on, telemetry::range::compute);
  const auto known = static_cast<std::uint32_t>(ids.size()) -
                     std::min(start, static_cast<std::uint32_t>(ids.size()));
  const std::uint32_t together = std::min(known, tokens);
  ASSAY_TRY(compute.record(compute_span.before));
  if (together > 0 && pass.takes(together)) {
    ASSAY_TRY(pass.run(start, together));
    tally_.pass_tokens = together;
  }
  for (; tally_.pass_tokens + tally_.steps < tokens; ++tally_.steps)
    ASSAY_TRY(compute.submit_kernels(plan->launches(), [this](void*) { return step->run(); }));
  return compute.record(compute_span.after);
}

result<void> gpu_engine::state::submit_choices(std::uint32_t end, std::uint32_t choices) {
  const device::scoped_range label(on, telemetry::range::choices);
  const std::uint64_t bytes = choices * sizeof(std::int32_t);
  ASSAY_TRY(compute.copy(chosen.data(), buffers.chosen + (end - choices), bytes,
                         device::copy_direction::d2h));
  counters.add(counter_id::choices_d2h_bytes, static_cast<std::int64_t>(bytes));
  counters.add(counter_id::choices_d2h_copies_count, 1);
  return compute.record(outputs_span.after);
}

result<void> gpu_engine::state::submit_logits() {
  const device::scoped_range label(on, telemetry::range::logits);
  const std::uint64_t bytes = std::uint64_t{shape.vocab_rows} * sizeof(float);
  ASSAY_TRY(compute.copy(logits->data(), buffers.logits, bytes, device::copy_direction::d2h));
  counters.add(counter_id::logits_d2h_bytes, static_cast<std::int64_t>(bytes));
  counters.add(counter_id::logits_d2h_copies_count, 1);
  return compute.record(outputs_span.after);
}

std::int64_t gpu_engine::state::weight_bytes_of_pass(std::uint32_t tokens) const {
  if (tokens == 0) return 0;
  const auto more_rows = static_cast<std::int64_t>((tokens - 1) * model.embedding.row_bytes());
  return step_weight_bytes_ + more_rows +
         std::int64_t{pass.chunks_of(tokens) - 1} * layer_weight_bytes_;
}

result<void> gpu_engine::state::publish(std::uint32_t start, std::uint32_t tokens) {
  const auto token_bytes =
      static_cast<std::int64_t>(2 * cache.layout().token_bytes() * cache.layout().layers);
  // Each token sees itself and those before: an arithmetic series.
  const std::int64_t n = tokens;
  const std::int64_t rows_read = n * start + n * (n + 1) / 2;
  counters.add(counter_id::compute_launches_count,
               std::int64_t{tally_.steps} * plan->launches() + tally_.pass_launches);
  counters.add(counter_id::compute_weight_bytes,
               tally_.steps * step_weight_bytes_ + weight_bytes_of_pass(tally_.pass_tokens));
  counters.add(counter_id::prefill_calls_count, tally_.pass_calls);
  counters.add(counter_id::kv_append_bytes, n * token_bytes);
  counters.add(counter_id::kv_read_bytes, rows_read * token_bytes);
  counters.set(counter_id::engine_context_tokens, start + tokens);
  publish_graph();
  return publish_times();
}

result<void> gpu_engine::state::publish_times() {
  if (has_inputs_) {
    ASSAY_TRY_ASSIGN(const std::int64_t inputs_ns, compute.elapsed_ns(inputs_span));
    counters.add(counter_id::inputs_h2d_ns, inputs_ns);
  }
  ASSAY_TRY_ASSIGN(const std::int64_t compute_ns, compute.elapsed_ns(compute_span));
  ASSAY_TRY_ASSIGN(const std::int64_t outputs_ns, compute.elapsed_ns(outputs_span));
  counters.add(counter_id::compute_device_ns, compute_ns);
  counters.add(is_drawn ? counter_id::logits_d2h_ns : counter_id::choices_d2h_ns, outputs_ns);
  return {};
}

void gpu_engine::state::publish_graph() {
  const graph::graph_tally& now = step->tally();
  const auto add = [&](counter_id id, std::uint64_t after, std::uint64_t before) {
    counters.add(id, static_cast<std::int64_t>(after - before));
  };
  add(counter_id::graph_captures_count, now.captures, published_.captures);
  add(counter_id::graph_instantiations_count, now.instantiations, published_.instantiations);
  add(counter_id::graph_replays_count, now.replays, published_.replays);
  add(counter_id::graph_eager_steps_count, now.eager_steps, published_.eager_steps);
  published_ = now;
}

}  // namespace assay::engine
