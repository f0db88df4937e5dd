// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A request on a GPU: begin, prefill, decode steps, end.
#include <algorithm>
#include <utility>

#include "runtime/engine/cuda/gpu_engine_state.h"

namespace assay::engine {

using telemetry::counter_id;

result<void> gpu_engine::begin_request(std::span<const std::int32_t> prompt,
                                       const request_options& options) {
  state& s = *state_;
  if (options.keeps_prompt)
    return ASSAY_FAIL(usage, "a GPU keeps no prompt for later ones; use --device host");
  if (options.temperature > 0.0 && !s.logits) {
    ASSAY_TRY_ASSIGN(
        s.logits, device::pinned_buffer::create(std::uint64_t{s.shape.vocab_rows} * sizeof(float)));
  }
  ASSAY_TRY(s.flow.begin(prompt, options));
  s.begin_sequence(prompt);
  s.is_drawn = options.temperature > 0.0;
  s.sampler.begin(options.temperature, options.seed);
  s.mark_absent();
  if (!s.is_drawn) s.counters.add(counter_id::sampling_random_draws_count, 0);
  return {};
}

result<step_result> gpu_engine::prefill() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_prefill());
  ASSAY_TRY(s.run(s.flow.prompt_tokens(), 1));
  ASSAY_TRY_ASSIGN(const std::int32_t token, s.next_token());
  return s.flow.end_prefill(token, s.cache.cached_tokens());
}

result<step_result> gpu_engine::decode_step() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_step());
  ASSAY_TRY(s.run(1, 1));
  ASSAY_TRY_ASSIGN(const std::int32_t token, s.next_token());
  return s.flow.end_step(token, s.cache.cached_tokens());
}

result<std::vector<step_result>> gpu_engine::decode_steps(std::uint32_t most) {
  state& s = *state_;
  if (s.is_drawn || most < 2) return decode_engine::decode_steps(most);
  ASSAY_TRY(s.flow.begin_step());
  const std::uint32_t before = s.cache.cached_tokens();
  const std::uint32_t steps = std::min({most, state::most_steps, s.flow.steps_left(before)});
  ASSAY_TRY(s.run(steps, steps));
  ASSAY_TRY_ASSIGN(const auto given, s.choices(steps));
  std::vector<step_result> taken;
  for (std::uint32_t i = 0; i < steps; ++i) {
    if (i > 0) ASSAY_TRY(s.flow.begin_step());
    taken.push_back(s.flow.end_step(given[i], before + i + 1));
    if (taken.back().stopped != stop_reason::none) break;
  }
  s.count_draws(static_cast<std::int64_t>(taken.size()));
  return taken;
}

result<void> gpu_engine::end_request() {
  state& s = *state_;
  ASSAY_TRY(s.flow.end());
  s.end_sequence();
  return {};
}

result<std::vector<float>> gpu_engine::forward(std::span<const std::int32_t> ids,
                                               std::uint32_t rows) {
  state& s = *state_;
  if (s.flow.is_open())
    return ASSAY_FAIL(usage, "engine: a request is open; end it before a pass outside of one");
  ASSAY_TRY(s.flow.check_ids(ids));
  if (rows == 0 || rows > ids.size())
    return ASSAY_FAIL(usage, "engine: logits of 1 row to as many as there are ids");
  s.begin_sequence(ids);
  std::vector<float> logits(std::size_t{rows} * s.shape.vocab_rows);
  auto ran = [&]() -> result<void> {
    const std::uint64_t row_bytes = s.shape.vocab_rows * sizeof(float);
    const auto first = static_cast<std::uint32_t>(ids.size()) - rows;
    if (first > 0) ASSAY_TRY(s.run(first, 1));
    for (std::uint32_t i = 0; i < rows; ++i) {
      ASSAY_TRY(s.run(1, 1));
      ASSAY_TRY(s.compute.copy(logits.data() + std::size_t{i} * s.shape.vocab_rows,
                               s.buffers.logits, row_bytes, device::copy_direction::d2h));
      ASSAY_TRY(s.compute.synchronize());
    }
    return {};
  }();
  s.end_sequence();
  if (!ran) return failure(std::move(ran).error());
  return logits;
}

}  // namespace assay::engine
