// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_limit.h"

#include "harness/cli/memory_flags.h"
#include "scenarios/gpu_ledger.h"

namespace assay::cli {

result<scenarios::limit_shape> limit_of(const run_options& options, run_backend& backend) {
  ASSAY_TRY_ASSIGN(const std::uint64_t reserved_bytes, backend.reserved_bytes());
  const auto reserved = static_cast<std::int64_t>(reserved_bytes);
  if (!options.is_half_streamed)
    return scenarios::limit_shape{static_cast<std::int64_t>(backend.limit_bytes()), reserved};
  ASSAY_TRY_ASSIGN(const auto model, scenarios::read_model_shape(options.checkpoint));
  const scenarios::cache_shape cache{context_of(options, model), options.page_tokens};
  const auto arena = scenarios::gpu_arena_of(model, cache, backend.has_passes(model, cache));
  return scenarios::limit_shape{
      reserved + arena.kv_bytes + arena.activations_bytes + arena.weights_bytes / 2, reserved};
}

result<scenarios::paging_shape> paging_under(const scenarios::limit_shape& limit,
                                             const run_options& options, const run_backend& backend,
                                             const scenarios::model_shape& model,
                                             const scenarios::cache_shape& cache) {
  const auto expected =
      options.device == telemetry::device_class::cuda
          ? scenarios::gpu_paging_of(model, cache, limit, backend.has_passes(model, cache))
          : scenarios::paging_of(model, cache, limit);
  if (expected) return *expected;
  return ASSAY_FAIL(internal,
                    "the ledger finds no room for a step under a limit that the runtime has "
                    "loaded under");
}

}  // namespace assay::cli
