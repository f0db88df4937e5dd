// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A request: begin, prefill, decode steps, end.
#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/engine/engine_state.h"

namespace assay::engine {
namespace {

using telemetry::counter_id;

result<void> check_options(const request_options& options) {
  if (options.max_new_tokens == 0)
    return ASSAY_FAIL(usage, "max_new_tokens is 0; ask for at least one token");
  if (!(options.temperature >= 0.0) || !std::isfinite(options.temperature))
    return ASSAY_FAIL(usage, "temperature must be 0 (greedy) or a positive number");
  return {};
}

}  // namespace

result<void> engine::state::check_ids(std::span<const std::int32_t> given) const {
  if (given.empty())
    return ASSAY_FAIL(unusable_input, "prompt: no token ids; give at least one token of text");
  if (given.size() > context_tokens)
    return ASSAY_FAIL(unusable_input, "prompt: " + std::to_string(given.size()) +
                                          " tokens exceed the context of " +
                                          std::to_string(context_tokens) +
                                          "; shorten it or load with a longer context");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] < 0 || static_cast<std::uint32_t>(given[i]) >= model.config.vocab_rows)
      return ASSAY_FAIL(unusable_input, "prompt: id " + std::to_string(given[i]) + " at position " +
                                            std::to_string(i) + " is outside of the vocabulary's " +
                                            std::to_string(model.config.vocab_rows) +
                                            " rows; use the checkpoint's own tokenizer");
  return {};
}

result<void> engine::begin_request(std::span<const std::int32_t> prompt,
                                   const request_options& options) {
  const host_time entry = host_now();
  state& s = *state_;
  if (s.request.phase != request_phase::none)
    return ASSAY_FAIL(usage, "engine: a request is open; end it before the next begins");
  ASSAY_TRY(check_options(options));
  ASSAY_TRY(s.check_ids(prompt));
  s.counters.begin_request();
  s.counters.add(counter_id::engine_requests_count, 1);
  s.request = {};
  s.request.phase = request_phase::begun;
  s.request.options = options;
  s.request.prompt_tokens = static_cast<std::uint32_t>(prompt.size());
  s.request.begun_at = entry;
  s.ids.assign(prompt.begin(), prompt.end());
  s.sampler.begin(options.temperature, options.seed);
  return {};
}

result<step_result> engine::prefill() {
  state& s = *state_;
  if (s.request.phase != request_phase::begun)
    return ASSAY_FAIL(usage, "engine: prefill comes once, right after begin_request");
  s.request.phase = request_phase::failed;  // until the token is in hand
  ASSAY_TRY(s.run(s.plan_for(s.request.prompt_tokens)));
  s.counters.add(counter_id::engine_prompt_tokens, s.request.prompt_tokens);
  ASSAY_TRY_ASSIGN(const step_result step, s.draw());
  s.counters.set(counter_id::engine_ttft_ns, s.request.last_token_at - s.request.begun_at);
  // No decode step yet: that is measured, so it reads as zero and not as never written.
  s.counters.add(counter_id::engine_decode_steps_count, 0);
  s.counters.add(counter_id::engine_itl_ns, 0);
  s.counters.add(counter_id::engine_decode_step_ns, 0);
  return step;
}

result<step_result> engine::decode_step() {
  const host_time entry = host_now();
  state& s = *state_;
  if (s.request.phase != request_phase::running)
    return ASSAY_FAIL(usage,
                      "engine: no request is running: prefill first, and end one that stopped or "
                      "failed");
  s.request.phase = request_phase::failed;
  const host_time token_before = s.request.last_token_at;
  s.ids.assign(1, s.request.last_token);
  ASSAY_TRY(s.run(s.plan_for(1)));
  ASSAY_TRY_ASSIGN(const step_result step, s.draw());
  const std::int64_t itl_ns = s.request.last_token_at - token_before;
  s.request.itl_ns += itl_ns;
  ++s.request.decode_steps;
  s.counters.add(counter_id::engine_decode_steps_count, 1);
  s.counters.add(counter_id::engine_itl_ns, itl_ns);
  s.counters.set_real(
      counter_id::engine_decode_tokens_per_s,
      static_cast<double>(s.request.decode_steps) * 1e9 / static_cast<double>(s.request.itl_ns));
  s.counters.add(counter_id::engine_decode_step_ns, host_now() - entry);
  return step;
}

result<void> engine::end_request() {
  state& s = *state_;
  if (s.request.phase == request_phase::none)
    return ASSAY_FAIL(usage, "engine: no request is open");
  s.end_sequence();
  s.request = {};
  return {};
}

}  // namespace assay::engine
