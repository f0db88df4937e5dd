// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether a test may run on a GPU here.
#pragma once

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::test {

/// ASSAY_REQUIRE_GPU=1: a machine that should have a GPU may not pass by skipping.
inline bool is_gpu_required() {
  const char* value = std::getenv("ASSAY_REQUIRE_GPU");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

}  // namespace assay::test

/// First line of a test that needs a GPU.
#define ASSAY_NEEDS_GPU()                                                    \
  do {                                                                       \
    if (const auto found = ::assay::device::find_cuda_device(0); !found) {   \
      if (::assay::test::is_gpu_required()) FAIL() << found.error().message; \
      GTEST_SKIP() << "no GPU: " << found.error().message;                   \
    }                                                                        \
  } while (false)

/// Fails the test with CUDA's sentence.
#define ASSERT_CUDA(call_)                                                             \
  do {                                                                                 \
    const auto tried = ::assay::device::cuda_try((call_), #call_, __FILE__, __LINE__); \
    ASSERT_TRUE(tried) << tried.error().message;                                       \
  } while (false)
