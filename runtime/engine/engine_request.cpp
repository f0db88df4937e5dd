// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A request: begin, prefill, decode steps, end.
#include "runtime/engine/engine_state.h"

namespace assay::engine {

result<void> engine::begin_request(std::span<const std::int32_t> prompt,
                                   const request_options& options) {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin(prompt, options));
  s.ids.assign(prompt.begin(), prompt.end());
  s.sampler.begin(options.temperature, options.seed);
  return {};
}

result<step_result> engine::prefill() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_prefill());
  ASSAY_TRY(s.run(s.plan_for(s.flow.prompt_tokens())));
  ASSAY_TRY_ASSIGN(const std::int32_t token, s.sampler.draw(s.logits));
  return s.flow.end_prefill(token, s.cache.cached_tokens());
}

result<step_result> engine::decode_step() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_step());
  s.ids.assign(1, s.flow.last_token());
  ASSAY_TRY(s.run(s.plan_for(1)));
  ASSAY_TRY_ASSIGN(const std::int32_t token, s.sampler.draw(s.logits));
  return s.flow.end_step(token, s.cache.cached_tokens());
}

result<void> engine::end_request() {
  state& s = *state_;
  ASSAY_TRY(s.flow.end());
  s.end_sequence();
  return {};
}

}  // namespace assay::engine
