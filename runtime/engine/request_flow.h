// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A request's course, whatever runs its passes: which call may follow which, when it stops, and
// runtime.engine.*.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/decode_engine.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Threads: one. Ownership: the counter writer must outlive it.
/// Between begin_… and end_… the request counts as failed, so an error in between ends it.
class request_flow {
 public:
  request_flow(telemetry::counter_writer& counters, const checkpoint::model_config& config,
               std::uint32_t context_tokens);

  /// Errors: usage: one is open, or the options; unusable_input, as check_ids.
  result<void> begin(std::span<const std::int32_t> prompt, const request_options& options);
  /// Errors: usage, unless right after begin().
  result<void> begin_prefill();
  /// The first token is in hand; `cached_tokens` are in the cache.
  step_result end_prefill(std::int32_t token, std::uint32_t cached_tokens);
  /// Errors: usage, where no request is running.
  result<void> begin_step();
  step_result end_step(std::int32_t token, std::uint32_t cached_tokens);
  /// Steps that the request may still take with `cached_tokens` in the cache, were no end chosen.
  std::uint32_t steps_left(std::uint32_t cached_tokens) const;
  /// Errors: usage, where none is open.
  result<void> end();

  bool is_open() const { return phase_ != phase::none; }
  std::uint32_t prompt_tokens() const { return prompt_tokens_; }
  std::int32_t last_token() const { return last_token_; }
  /// Errors: unusable_input: no ids, more than the context, one outside of the vocabulary.
  result<void> check_ids(std::span<const std::int32_t> given) const;

 private:
  enum class phase : std::uint8_t { none, begun, running, stopped, failed };

  step_result take(std::int32_t token, std::uint32_t cached_tokens);
  stop_reason stop_after(std::int32_t token, std::uint32_t cached_tokens) const;

  telemetry::counter_writer& counters_;
  std::vector<std::int32_t> eos_token_ids_;
  std::uint32_t vocab_rows_;
  std::uint32_t context_tokens_;

  // Of the request that is open, if one is.
  phase phase_ = phase::none;
  request_options options_;
  std::uint32_t prompt_tokens_ = 0;
  std::uint32_t generated_tokens_ = 0;
  std::int64_t decode_steps_ = 0;
  std::int64_t itl_ns_ = 0;
  std::int32_t last_token_ = 0;
  host_time begun_at_;
  host_time step_begun_at_;
  host_time last_token_at_;
};

}  // namespace assay::engine
