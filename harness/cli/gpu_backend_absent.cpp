// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// For builds without CUDA.
#include "harness/cli/run_backend.h"

namespace assay::cli {

result<std::unique_ptr<run_backend>> make_gpu_backend(const run_options&) {
  return ASSAY_FAIL(unavailable,
                    "this program was built without CUDA; build the preset cuda, or use --device "
                    "host");
}

}  // namespace assay::cli
