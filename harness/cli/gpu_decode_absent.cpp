// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// For builds without CUDA.
#include "harness/cli/gpu_decode.h"

namespace assay::cli {

result<opened_engine> open_on_gpu(const std::filesystem::path&, const gpu_memory_wanted&,
                                  telemetry::counter_writer&, engine::engine_options) {
  return ASSAY_FAIL(unavailable,
                    "this program was built without CUDA; build the preset cuda, or use --device "
                    "host");
}

}  // namespace assay::cli
