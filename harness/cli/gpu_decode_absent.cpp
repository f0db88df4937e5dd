// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// For builds without CUDA.
#include "harness/cli/gpu_decode.h"

namespace assay::cli {

namespace {

error without_cuda() {
  return {error_kind::unavailable,
          "this program was built without CUDA; build the preset cuda, or use --device host",
          __FILE__, __LINE__};
}

}  // namespace

result<opened_engine> open_on_gpu(const std::filesystem::path&, const gpu_memory_wanted&,
                                  telemetry::counter_writer&, engine::engine_options) {
  return failure(without_cuda());
}

result<gpu_ledger> plan_on_gpu(const std::filesystem::path&, const gpu_memory_wanted&,
                               engine::engine_options) {
  return failure(without_cuda());
}

}  // namespace assay::cli
