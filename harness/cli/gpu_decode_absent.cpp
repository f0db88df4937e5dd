// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// For builds without CUDA.
#include "harness/cli/gpu_decode.h"

namespace assay::cli {

result<gpu_decode_claims> decode_on_gpu(const gpu_decode_request&, std::span<const std::int32_t>,
                                        const std::function<result<void>(std::int32_t)>&) {
  return ASSAY_FAIL(unavailable,
                    "this program was built without CUDA; build the preset cuda, or use --device "
                    "host");
}

}  // namespace assay::cli
