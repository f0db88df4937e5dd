// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One pass on a GPU: inputs in, replays, the choice out, one wait, counters.
#include <cstring>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"
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

// Each weight once; of the embedding one row, beside what the head reads of it where it is tied.
std::int64_t read_bytes_of(const resident_model& model) {
  std::uint64_t bytes = model.embedding.row_bytes() + model.final_norm.bytes() + model.head.bytes();
  for (const layer_weights& l : model.layers)
    for (const ops::weight* each :
         {&l.input_norm, &l.q, &l.k, &l.v, &l.q_bias, &l.k_bias, &l.v_bias, &l.q_norm, &l.k_norm,
          &l.o, &l.mlp_norm, &l.gate, &l.up, &l.down})
      if (each->data != nullptr) bytes += each->bytes();
  return static_cast<std::int64_t>(bytes);
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
      flow(writer, model.config, context_tokens) {}

gpu_engine::state::~state() {
  if (compute.has_pending()) (void)compute.synchronize();
}

result<void> gpu_engine::state::open(const graph::decode_shape& of) {
  shape = of;
  ASSAY_TRY_ASSIGN(inputs_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(compute_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(choices_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(activations, model.arena->allocate(carve(nullptr, shape, buffers)));
  carve(activations.address(), shape, buffers);
  step_weight_bytes = read_bytes_of(model);
  frequencies = rope_frequencies(model.config);
  ops::cuda::launch_site site;
  site.stream = gpu.native(compute.stream());
  site.blocks = static_cast<std::uint32_t>(gpu.multiprocessors());
  site.has_tensor_attention = takes_tensor_attention(shape);
  plan = std::make_unique<graph::decode_step>(shape, weights_of(model, cache), buffers, site);
  step = std::make_unique<graph::captured_step>(site.stream, [this] { return plan->submit(); });
  publish_graph();
  return {};
}

result<std::int32_t> gpu_engine::state::run(std::uint32_t tokens) {
  const std::uint32_t start = cache.cached_tokens();
  const std::uint32_t pages_before = cache.held_pages();
  const auto submitted = [&]() -> result<void> {
    ASSAY_TRY(cache.extend(tokens));
    ASSAY_TRY(submit_inputs(pages_before));
    ASSAY_TRY(submit_steps(tokens));
    return submit_choice(start + tokens - 1);
  }();
  // Waits even where a submission was refused: host memory is being read and written.
  const auto waited = compute.synchronize();
  if (!submitted) return failure(submitted.error());
  if (!waited) return failure(waited.error());
  ASSAY_TRY(publish(start, tokens));
  std::int32_t token = 0;
  std::memcpy(&token, chosen.data(), sizeof token);
  if (token < 0)
    return ASSAY_FAIL(unusable_input, "the logits after position " +
                                          std::to_string(start + tokens - 1) +
                                          " are no numbers; the weights overflow");
  counters.add(counter_id::sampling_draws_count, 1);
  counters.add(counter_id::sampling_candidates_count, shape.vocab_rows);
  return token;
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

result<void> gpu_engine::state::submit_inputs(std::uint32_t first_new_page) {
  const device::scoped_range label(on, telemetry::range::inputs);
  has_inputs_ = false;
  if (first_new_page == 0) {
    ASSAY_TRY(submit_input(buffers.forced, ids.data(), ids.size() * sizeof(std::int32_t)));
    ops::cuda::decode_state first;
    first.token = ids.front();
    first.forced_count = static_cast<std::uint32_t>(ids.size());
    ASSAY_TRY(submit_input(buffers.state, &first, sizeof first));
    ASSAY_TRY(
        submit_input(buffers.frequencies, frequencies.data(), frequencies.size() * sizeof(float)));
  }
  const std::uint32_t taken = cache.held_pages() - first_new_page;
  if (taken > 0)
    ASSAY_TRY(submit_input(buffers.table + first_new_page, cache.table() + first_new_page,
                           taken * sizeof(std::uint32_t)));
  return has_inputs_ ? compute.record(inputs_span.after) : result<void>{};
}

result<void> gpu_engine::state::submit_steps(std::uint32_t tokens) {
  const device::scoped_range label(on, telemetry::range::compute);
  ASSAY_TRY(compute.record(compute_span.before));
  for (std::uint32_t i = 0; i < tokens; ++i)
    ASSAY_TRY(compute.submit_kernels(plan->launches(), [this](void*) { return step->run(); }));
  return compute.record(compute_span.after);
}

result<void> gpu_engine::state::submit_choice(std::uint32_t position) {
  const device::scoped_range label(on, telemetry::range::choices);
  ASSAY_TRY(compute.record(choices_span.before));
  ASSAY_TRY(compute.copy(chosen.data(), buffers.chosen + position, sizeof(std::int32_t),
                         device::copy_direction::d2h));
  counters.add(counter_id::choices_d2h_bytes, sizeof(std::int32_t));
  counters.add(counter_id::choices_d2h_copies_count, 1);
  return compute.record(choices_span.after);
}

result<void> gpu_engine::state::publish(std::uint32_t start, std::uint32_t tokens) {
  const auto token_bytes =
      static_cast<std::int64_t>(2 * cache.layout().token_bytes() * cache.layout().layers);
  std::int64_t rows_read = 0;
  for (std::uint32_t i = 1; i <= tokens; ++i) rows_read += start + i;
  counters.add(counter_id::compute_launches_count, std::int64_t{tokens} * plan->launches());
  counters.add(counter_id::compute_weight_bytes, tokens * step_weight_bytes);
  counters.add(counter_id::kv_append_bytes, tokens * token_bytes);
  counters.add(counter_id::kv_read_bytes, rows_read * token_bytes);
  counters.set(counter_id::engine_context_tokens, start + tokens);
  publish_graph();
  if (has_inputs_) {
    ASSAY_TRY_ASSIGN(const std::int64_t inputs_ns, compute.elapsed_ns(inputs_span));
    counters.add(counter_id::inputs_h2d_ns, inputs_ns);
  }
  ASSAY_TRY_ASSIGN(const std::int64_t compute_ns, compute.elapsed_ns(compute_span));
  ASSAY_TRY_ASSIGN(const std::int64_t choices_ns, compute.elapsed_ns(choices_span));
  counters.add(counter_id::compute_device_ns, compute_ns);
  counters.add(counter_id::choices_d2h_ns, choices_ns);
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
