// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The sets of loops, one a file. Private to the room: kernels_of() hands out what the processor
// has.
#pragma once

#include "runtime/ops/vector_kernels.h"

namespace assay::ops {

const vector_kernels& portable_kernels() noexcept;
#if defined(__x86_64__)
const vector_kernels& avx2_kernels() noexcept;
const vector_kernels& avx512_kernels() noexcept;
#endif

}  // namespace assay::ops
