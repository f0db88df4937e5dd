// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/vector_kernels.h"

#include <algorithm>

#include "runtime/ops/vector_sets.h"

namespace assay::ops {

const vector_kernels& kernels_of(isa which) noexcept {
  switch (std::min(which, best_isa())) {
#if defined(__x86_64__)
    case isa::avx512:
      return avx512_kernels();
    case isa::avx2:
      return avx2_kernels();
#endif
    default:
      return portable_kernels();
  }
}

}  // namespace assay::ops
