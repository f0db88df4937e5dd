// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A request: begin, prefill, decode steps, end.
#include <string_view>

#include "runtime/engine/engine_state.h"

namespace assay::engine {

using telemetry::counter_id;

void engine::state::mark_absent() {
  constexpr std::string_view no_graphs = "the host device enqueues operators; it has no graphs";
  constexpr std::string_view no_choices = "logits go to the host, which chooses";
  for (const counter_id id :
       {counter_id::graph_captures_count, counter_id::graph_instantiations_count,
        counter_id::graph_replays_count, counter_id::graph_eager_steps_count})
    counters.mark_not_applicable(id, no_graphs);
  for (const counter_id id : {counter_id::choices_d2h_bytes, counter_id::choices_d2h_copies_count,
                              counter_id::choices_d2h_ns})
    counters.mark_not_applicable(id, no_choices);
  counters.mark_not_applicable(counter_id::prefill_calls_count,
                               "a prompt goes through the operators of a step");
  if (!paging) mark_no_paging();
}

void engine::state::mark_no_paging() {
  constexpr std::string_view no_limit = "without a limit every weight is resident";
  for (const counter_id id :
       {counter_id::paging_budget_bytes,    counter_id::paging_staging_bytes,
        counter_id::paging_resident_bytes,  counter_id::paging_resident_count,
        counter_id::paging_admitted_bytes,  counter_id::paging_admitted_count,
        counter_id::paging_evicted_bytes,   counter_id::paging_evictions_count,
        counter_id::paging_lookups_count,   counter_id::paging_lookup_bytes,
        counter_id::paging_hits_count,      counter_id::paging_hit_bytes,
        counter_id::paging_count_hit_ratio, counter_id::paging_byte_hit_ratio,
        counter_id::paging_staged_bytes,    counter_id::paging_prefetch_waste_bytes,
        counter_id::paging_h2d_ns,          counter_id::paging_h2d_bytes_per_s,
        counter_id::paging_stall_ns,        counter_id::paging_overlap_ratio})
    counters.mark_not_applicable(id, no_limit);
}

result<void> engine::begin_request(std::span<const std::int32_t> prompt,
                                   const request_options& options) {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin(prompt, options));
  s.mark_absent();
  if (s.paging) s.paging->begin_request();
  const auto rest = prompt.subspan(s.cache.begin_with_kept(prompt));
  s.ids.assign(rest.begin(), rest.end());
  s.prompt_to_keep.clear();
  if (options.keeps_prompt) s.prompt_to_keep.assign(prompt.begin(), prompt.end());
  s.sampler.begin(options.temperature, options.seed);
  return {};
}

result<step_result> engine::prefill() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_prefill());
  ASSAY_TRY(s.run(s.plan_for(static_cast<std::uint32_t>(s.ids.size()))));
  if (!s.prompt_to_keep.empty()) s.cache.keep(s.prompt_to_keep);
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
