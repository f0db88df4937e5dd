// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/request_flow.h"

#include <algorithm>
#include <cmath>
#include <string>

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

request_flow::request_flow(telemetry::counter_writer& counters,
                           const checkpoint::model_config& config, std::uint32_t context_tokens)
    : counters_(counters),
      eos_token_ids_(config.eos_token_ids.begin(), config.eos_token_ids.end()),
      vocab_rows_(config.vocab_rows),
      context_tokens_(context_tokens) {
  counters_.add(counter_id::engine_requests_count, 0);
  counters_.set(counter_id::engine_context_tokens, 0);
}

result<void> request_flow::check_ids(std::span<const std::int32_t> given) const {
  if (given.empty())
    return ASSAY_FAIL(unusable_input, "prompt: no token ids; give at least one token of text");
  if (given.size() > context_tokens_)
    return ASSAY_FAIL(unusable_input, "prompt: " + std::to_string(given.size()) +
                                          " tokens exceed the context of " +
                                          std::to_string(context_tokens_) +
                                          "; shorten it or load with a longer context");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] < 0 || static_cast<std::uint32_t>(given[i]) >= vocab_rows_)
      return ASSAY_FAIL(unusable_input, "prompt: id " + std::to_string(given[i]) + " at position " +
                                            std::to_string(i) + " is outside of the vocabulary's " +
                                            std::to_string(vocab_rows_) +
                                            " rows; use the checkpoint's own tokenizer");
  return {};
}

result<void> request_flow::begin(std::span<const std::int32_t> prompt,
                                 const request_options& options) {
  const host_time entry = host_now();
  if (is_open())
    return ASSAY_FAIL(usage, "engine: a request is open; end it before the next begins");
  ASSAY_TRY(check_options(options));
  ASSAY_TRY(check_ids(prompt));
  counters_.begin_request();
  counters_.add(counter_id::engine_requests_count, 1);
  phase_ = phase::begun;
  options_ = options;
  prompt_tokens_ = static_cast<std::uint32_t>(prompt.size());
  generated_tokens_ = 0;
  decode_steps_ = 0;
  itl_ns_ = 0;
  begun_at_ = entry;
  return {};
}

result<void> request_flow::begin_prefill() {
  if (phase_ != phase::begun)
    return ASSAY_FAIL(usage, "engine: prefill comes once, right after begin_request");
  phase_ = phase::failed;  // until the token is in hand
  return {};
}

step_result request_flow::end_prefill(std::int32_t token, std::uint32_t cached_tokens) {
  counters_.add(counter_id::engine_prompt_tokens, prompt_tokens_);
  const step_result step = take(token, cached_tokens);
  counters_.set(counter_id::engine_ttft_ns, last_token_at_ - begun_at_);
  // No decode step yet: that is measured, so it reads as zero and not as never written.
  counters_.add(counter_id::engine_decode_steps_count, 0);
  counters_.add(counter_id::engine_itl_ns, 0);
  counters_.add(counter_id::engine_decode_step_ns, 0);
  return step;
}

result<void> request_flow::begin_step() {
  step_begun_at_ = host_now();
  if (phase_ != phase::running)
    return ASSAY_FAIL(usage,
                      "engine: no request is running: prefill first, and end one that stopped or "
                      "failed");
  phase_ = phase::failed;
  return {};
}

step_result request_flow::end_step(std::int32_t token, std::uint32_t cached_tokens) {
  const host_time token_before = last_token_at_;
  const step_result step = take(token, cached_tokens);
  const std::int64_t itl_ns = last_token_at_ - token_before;
  itl_ns_ += itl_ns;
  ++decode_steps_;
  counters_.add(counter_id::engine_decode_steps_count, 1);
  counters_.add(counter_id::engine_itl_ns, itl_ns);
  counters_.set_real(counter_id::engine_decode_tokens_per_s,
                     static_cast<double>(decode_steps_) * 1e9 / static_cast<double>(itl_ns_));
  counters_.add(counter_id::engine_decode_step_ns, host_now() - step_begun_at_);
  return step;
}

std::uint32_t request_flow::steps_left(std::uint32_t cached_tokens) const {
  return std::min(options_.max_new_tokens - generated_tokens_, context_tokens_ - cached_tokens);
}

result<void> request_flow::end() {
  if (!is_open()) return ASSAY_FAIL(usage, "engine: no request is open");
  phase_ = phase::none;
  return {};
}

step_result request_flow::take(std::int32_t token, std::uint32_t cached_tokens) {
  last_token_at_ = host_now();
  last_token_ = token;
  ++generated_tokens_;
  counters_.add(counter_id::engine_generated_tokens, 1);
  const stop_reason stopped = stop_after(token, cached_tokens);
  phase_ = stopped == stop_reason::none ? phase::running : phase::stopped;
  return {token, stopped};
}

stop_reason request_flow::stop_after(std::int32_t token, std::uint32_t cached_tokens) const {
  const bool is_eos =
      std::find(eos_token_ids_.begin(), eos_token_ids_.end(), token) != eos_token_ids_.end();
  if (options_.stop_at_eos && is_eos) return stop_reason::eos;
  if (generated_tokens_ >= options_.max_new_tokens) return stop_reason::max_new_tokens;
  if (cached_tokens >= context_tokens_) return stop_reason::context_full;
  return stop_reason::none;
}

}  // namespace assay::engine
