// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/lost_context.h"

namespace assay::test {
namespace {

__global__ void write_to(int* at) {
  *at = 1;
}

}  // namespace

cudaError_t write_nowhere() {
  write_to<<<1, 1>>>(reinterpret_cast<int*>(16));
  return cudaGetLastError();
}

}  // namespace assay::test
