// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One run on a GPU: inputs in, a pass or replays, choices or logits out, one wait, counters.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/engine/cuda/gpu_engine_state.h"
#include "runtime/engine/cuda/gpu_weights.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {

using telemetry::counter_id;

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
  // Page-ins that an error left in flight write to what is given back behind this.
  if (compute.has_pending()) (void)compute.synchronize();
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
  auto outcome = !submitted ? submitted : !waited ? waited : publish(start, tokens);
  if (!outcome && paging) paging->abandon_pass(compute);
  return outcome;
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
  if (paging) return submit_paged(start, tokens);
  const std::uint32_t together = known_tokens(start, tokens);
  ASSAY_TRY(compute.record(compute_span.before));
  if (together > 0 && pass.takes(together)) {
    ASSAY_TRY(pass.run(start, together));
    tally_.pass_tokens = together;
  }
  for (; tally_.pass_tokens + tally_.steps < tokens; ++tally_.steps) ASSAY_TRY(submit_step());
  return compute.record(compute_span.after);
}

std::uint32_t gpu_engine::state::known_tokens(std::uint32_t start, std::uint32_t tokens) const {
  const auto prompt = static_cast<std::uint32_t>(ids.size());
  return std::min(prompt - std::min(start, prompt), tokens);
}

// Each chunk of a pass and each step streams the weights anew. All but the last are waited for: the
// times of one are read before the next one's begin.
result<void> gpu_engine::state::submit_paged(std::uint32_t start, std::uint32_t tokens) {
  const std::uint32_t known = known_tokens(start, tokens);
  const bool has_pass = known > 0 && pass.takes(known);
  std::uint32_t part = 0;
  for (std::uint32_t done = 0; done < tokens; done += part) {
    if (done > 0) ASSAY_TRY(end_part());
    const bool is_pass = has_pass && done < known;
    part = is_pass ? std::min(pass.chunk_tokens(), known - done) : 1;
    ASSAY_TRY(submit_paged_part(start + done, part, is_pass, !is_pass || done + part == known));
  }
  return {};
}

result<void> gpu_engine::state::submit_paged_part(std::uint32_t start, std::uint32_t tokens,
                                                  bool is_pass, bool has_head) {
  ASSAY_TRY(compute.record(compute_span.before));
  ASSAY_TRY(paging->begin_pass(compute_span.before, has_head));
  if (is_pass) {
    ASSAY_TRY(pass.run_part(start, tokens, has_head));
    tally_.pass_tokens += tokens;
  } else {
    ASSAY_TRY(submit_step());
    ++tally_.steps;
  }
  return compute.record(compute_span.after);
}

// Where all weights stay the step is one call, and its operators' lookups are noted beside it.
result<void> gpu_engine::state::submit_step() {
  if (paging && paging->is_streaming()) return step->run();
  if (paging) ASSAY_TRY(paging->note_resident_pass(compute));
  return compute.submit_kernels(plan->launches(), [this](void*) { return step->run(); });
}

result<void> gpu_engine::state::end_part() {
  ASSAY_TRY(compute.synchronize());
  ASSAY_TRY_ASSIGN(const std::int64_t compute_ns, compute.elapsed_ns(compute_span));
  counters.add(counter_id::compute_device_ns, compute_ns);
  return paging->publish_pass(compute, compute_ns);
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
  return paging ? paging->publish_pass(compute, compute_ns) : result<void>{};
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
