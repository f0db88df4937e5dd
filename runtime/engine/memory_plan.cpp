// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/memory_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/engine/memory_need.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/check.h"

namespace assay::engine {
namespace {

// Every weight of the architecture, the embedding included, as a load without a limit places them.
std::uint64_t placed_weights_bytes(const checkpoint::model_config& config,
                                   const weight_schedule& schedule,
                                   const checkpoint::weight_files& files) {
  std::uint64_t bytes = 0;
  for (const std::uint64_t each : schedule.placed_bytes()) bytes += each;
  if (config.is_head_tied) return bytes;
  const checkpoint::tensor_view* const table = files.find("model.embed_tokens.weight");
  return bytes + (table == nullptr ? 0 : memory::granted_bytes(table->bytes.size()));
}

void place_under_limit(memory_plan& plan, const weight_schedule& schedule) {
  const std::vector<std::uint64_t> placed_bytes = schedule.placed_bytes();
  const std::uint64_t beside = plan.kv_bytes + plan.activations_bytes + plan.reserved_bytes;
  plan.least_limit_bytes = beside + memory::least_budget_bytes(schedule.operators, placed_bytes);
  if (!plan.limit_bytes) return;
  plan.budget_bytes = *plan.limit_bytes > beside ? *plan.limit_bytes - beside : 0;
  plan.placed = memory::place(schedule.operators, placed_bytes, plan.budget_bytes);
  if (!plan.placed) return;
  for (std::size_t i = 0; i < schedule.weights.size(); ++i)
    if (plan.placed->is_resident[i]) plan.resident_bytes += schedule.weights[i].content.size();
}

}  // namespace

std::uint64_t memory_plan::total_bytes() const {
  const std::uint64_t beside = kv_bytes + activations_bytes + reserved_bytes;
  if (!limit_bytes) return all_resident_bytes + reserved_bytes;
  return placed ? beside + placed->resident_bytes + placed->staging_bytes : beside;
}

memory_plan plan_around(const plan_frame& frame, const weight_schedule& schedule,
                        const engine_options& options) {
  memory_plan plan;
  plan.device_bytes = frame.device_bytes;
  plan.limit_bytes = options.memory_limit_bytes;
  plan.context_tokens = frame.context_tokens;
  plan.step_bytes = schedule.step_bytes();
  for (const scheduled_weight& each : schedule.weights)
    plan.largest_weight_bytes =
        std::max<std::uint64_t>(plan.largest_weight_bytes, each.content.size());
  plan.kv_bytes = frame.kv_bytes;
  plan.activations_bytes = frame.activations_bytes;
  plan.reserved_bytes = options.reserved_bytes;
  plan.all_resident_bytes = frame.all_weights_bytes + frame.kv_bytes + frame.activations_bytes;
  plan.budget_bytes = frame.all_weights_bytes;
  if (!plan.limit_bytes) plan.resident_bytes = plan.step_bytes;
  place_under_limit(plan, schedule);
  return plan;
}

result<memory_plan> plan_memory(const checkpoint::model_config& config,
                                const checkpoint::weight_files& files,
                                const engine_options& options, std::uint64_t device_bytes) {
  ASSAY_TRY_ASSIGN(const kv::kv_layout layout, layout_of(config, options));
  ASSAY_TRY_ASSIGN(const weight_schedule schedule, schedule_of(config, files));
  const std::uint32_t context = context_of(config, options);
  const memory_need need =
      need_of(placed_weights_bytes(config, schedule, files), config, layout, context);
  return plan_around(
      {need.kv_bytes, need.activations_bytes, need.weights_bytes, context, device_bytes}, schedule,
      options);
}

result<void> check_plan(const memory_plan& plan) {
  ASSAY_CHECK(plan.limit_bytes.has_value(), "a plan without a limit has nothing to be checked for");
  if (plan.placed) return {};
  const std::uint64_t beside = plan.kv_bytes + plan.activations_bytes + plan.reserved_bytes;
  return ASSAY_FAIL(
      out_of_memory,
      fmt::format("memory limit: KV pages {} (context of {} tokens) + activations {} + reserved {} "
                  "+ the least that streaming needs {} = {} bytes exceed the limit of {}; graphs "
                  "and workspace take none here, the process beside the device is unknown; raise "
                  "the limit or shorten the context",
                  plan.kv_bytes, plan.context_tokens, plan.activations_bytes, plan.reserved_bytes,
                  plan.least_limit_bytes - beside, plan.least_limit_bytes, *plan.limit_bytes));
}

std::vector<plan_term> weight_terms_of(const memory_plan& plan) {
  std::vector<plan_term> terms;
  if (plan.limit_bytes && plan.placed) {
    terms.push_back({"resident weights", plan.placed->resident_bytes,
                     "what fits, in the order of use; each rounded up to its grant"});
    terms.push_back({"staging", plan.placed->staging_bytes,
                     "twice the largest streamed operator: one is read while the next is filled"});
  } else if (!plan.limit_bytes) {
    terms.push_back({"weights", plan.budget_bytes, "headers; each rounded up to its grant"});
    terms.push_back({"staging", 0, "nothing is streamed without a limit"});
  } else {
    terms.push_back({"resident weights", std::nullopt, "the limit leaves no room for a step"});
    terms.push_back(
        {"staging",
         plan.least_limit_bytes - plan.kv_bytes - plan.activations_bytes - plan.reserved_bytes,
         "the least: two of the largest operator, or what makes them smaller"});
  }
  return terms;
}

std::vector<plan_term> terms_of(const memory_plan& plan) {
  std::vector<plan_term> terms = weight_terms_of(plan);
  terms.push_back({"KV pages", plan.kv_bytes,
                   fmt::format("config, for a context of {} tokens", plan.context_tokens)});
  terms.push_back({"activations", plan.activations_bytes,
                   "the operators' own buffers, for a prompt that fills the context"});
  terms.push_back({"graphs and workspace", 0, "the host device has neither"});
  terms.push_back({"observer", plan.reserved_bytes,
                   plan.reserved_bytes > 0 ? "known-answer buffers of the audit"
                                           : "nobody observes a decode or a plan"});
  terms.push_back({"runtime overhead", std::nullopt,
                   "unknown: the arena holds the terms above and nothing else, and what the "
                   "process takes beside it nobody has measured"});
  return terms;
}

}  // namespace assay::engine
