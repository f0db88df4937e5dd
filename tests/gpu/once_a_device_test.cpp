// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, kernels could lack on a second GPU what was told CUDA for the first, or lack it for
// good after one refusal.
#include <gtest/gtest.h>

#include "runtime/ops/cuda/once_a_device.h"

namespace assay::test {
namespace {

TEST(OnceADevice, is_told_once_of_each_and_of_one_without_a_number_each_time) {
  ops::cuda::once_a_device told;
  int times = 0;
  const auto tell = [&] {
    ++times;
    return cudaSuccess;
  };
  for (int round = 0; round < 2; ++round)
    for (const int device : {0, 1, 63}) EXPECT_EQ(told.on(device, tell), cudaSuccess);
  EXPECT_EQ(times, 3);
  for (int round = 0; round < 2; ++round) EXPECT_EQ(told.on(64, tell), cudaSuccess);
  EXPECT_EQ(times, 5);
}

TEST(OnceADevice, is_told_again_where_it_was_refused) {
  ops::cuda::once_a_device told;
  EXPECT_EQ(told.on(3, [] { return cudaErrorInvalidValue; }), cudaErrorInvalidValue);
  int times = 0;
  const auto tell = [&] {
    ++times;
    return cudaSuccess;
  };
  EXPECT_EQ(told.on(3, tell), cudaSuccess);
  EXPECT_EQ(told.on(3, tell), cudaSuccess);
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace assay::test
