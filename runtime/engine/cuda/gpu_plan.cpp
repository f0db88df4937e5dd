// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_plan.h"

#include <fmt/format.h>

#include "runtime/engine/cuda/gpu_shape.h"
#include "runtime/engine/memory_need.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/weight_schedule.h"
#include "runtime/memory/arena.h"

namespace assay::engine {
namespace {

/// The one type of all weights. Errors: unusable_input, naming a tensor of another.
result<ops::cuda::element> element_of(const checkpoint::checkpoint& from) {
  const auto tensors = checkpoint::expected_tensors(from.config());
  const checkpoint::dtype type = from.weights().find(tensors.front().name)->type;
  for (const auto& tensor : tensors)
    if (from.weights().find(tensor.name)->type != type)
      return ASSAY_FAIL(unusable_input, tensor.name +
                                            " has another type than the weights before it; a GPU "
                                            "takes one type a model: use --device host");
  switch (type) {
    case checkpoint::dtype::bf16:
      return ops::cuda::element::bf16;
    case checkpoint::dtype::f16:
      return ops::cuda::element::f16;
    case checkpoint::dtype::f32:
      return ops::cuda::element::f32;
  }
  return ASSAY_FAIL(unusable_input, "the weights have a type that no kernel of the GPU reads");
}

// A streamed weight costs as much for one token as for many: every prompt goes through a pass.
constexpr std::uint32_t streamed_pass_tokens = 1;

result<memory_plan> memory_of(const checkpoint::checkpoint& from, const gpu_plan& plan,
                              const engine_options& options, std::uint64_t device_bytes) {
  ASSAY_TRY_ASSIGN(const weight_schedule schedule, schedule_of(from.config(), from.weights()));
  graph::decode_buffers buffers;
  const plan_frame frame{memory::granted_bytes(plan.layout.total_bytes()),
                         carve(nullptr, plan.shape, buffers) + plan.scratch_bytes,
                         resident_model::needed_bytes(from), plan.context_tokens, device_bytes};
  return plan_around(frame, schedule, options);
}

}  // namespace

result<gpu_plan> plan_gpu(const checkpoint::checkpoint& from, const engine_options& options,
                          const gpu_engine_options& gpu_options, std::uint64_t device_bytes) {
  const checkpoint::model_config& config = from.config();
  ASSAY_TRY(check_covered(config));
  gpu_plan plan;
  ASSAY_TRY_ASSIGN(const ops::cuda::element type, element_of(from));
  ASSAY_TRY_ASSIGN(plan.layout, layout_of(config, options));
  plan.layout.element_bytes = ops::cuda::bytes_of(type);
  plan.context_tokens = context_of(config, options);
  plan.shape = shape_of(config, options.kv_page_tokens, plan.context_tokens, type);
  plan.prefill = gpu_options.prefill;
  if (!options.memory_limit_bytes) return plan;
  if (plan.prefill.from_tokens > 0) plan.prefill.from_tokens = streamed_pass_tokens;
  plan.scratch_bytes = gpu_prefill::needed_bytes(plan.shape, plan.context_tokens, plan.prefill);
  ASSAY_TRY_ASSIGN(plan.memory, memory_of(from, plan, options, device_bytes));
  return plan;
}

result<memory_plan> ledger_of(const checkpoint::checkpoint& from, const engine_options& options,
                              const gpu_engine_options& gpu_options, std::uint64_t device_bytes) {
  ASSAY_TRY_ASSIGN(gpu_plan plan, plan_gpu(from, options, gpu_options, device_bytes));
  if (plan.memory) return *plan.memory;
  plan.scratch_bytes = gpu_prefill::needed_bytes(plan.shape, plan.context_tokens, plan.prefill);
  return memory_of(from, plan, options, device_bytes);
}

std::vector<plan_term> terms_of(const memory_plan& ledger, const device::device_memory& driver) {
  std::vector<plan_term> terms = weight_terms_of(ledger);
  terms.push_back({"KV pages", ledger.kv_bytes,
                   fmt::format("config, for a context of {} tokens", ledger.context_tokens)});
  terms.push_back({"activations", ledger.activations_bytes,
                   "a step's buffers, and those of a pass over a prompt with cuBLAS's workspace"});
  terms.push_back(
      {"driver", driver.taken_bytes,
       "measured now: the context, code of every kernel of this model and of cuBLAS, an "
       "executable graph, and whatever else has memory of this GPU"});
  terms.push_back({"reserve", ledger.reserved_bytes - driver.taken_bytes,
                   "for what the measurement cannot bring: granules that are not filled, code for "
                   "prompts of other lengths"});
  terms.push_back({"observer", std::nullopt,
                   "unknown: nobody observes a decode or a plan; an audit measures what its own "
                   "have taken"});
  return terms;
}

std::uint64_t page_locked_bytes(const memory_plan& ledger, const checkpoint::checkpoint& from) {
  if (!ledger.placed || ledger.is_all_resident()) return 0;
  const checkpoint::tensor_view* const table = from.weights().find("model.embed_tokens.weight");
  const bool has_table = table != nullptr && !from.config().is_head_tied;
  return ledger.streamed_bytes() + (has_table ? table->bytes.size() : 0);
}

result<void> check_fits(const checkpoint::checkpoint& from, const gpu_plan& plan,
                        std::uint64_t limit_bytes) {
  graph::decode_buffers buffers;
  const memory_need need{resident_model::needed_bytes(from),
                         memory::granted_bytes(plan.layout.total_bytes()),
                         carve(nullptr, plan.shape, buffers)};
  return check_fits(need, limit_bytes, "GPU memory",
                    "free memory on the GPU, or load with a shorter context or a smaller model");
}

}  // namespace assay::engine
