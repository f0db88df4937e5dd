// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a GPU's copies could land in somebody else's memory, its limit could be a wish, and
// its errors a number.
#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/device/cuda/cuda_device.h"
#include "tests/device/recording_observer.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using device::copy_direction;
using device::cuda_device;

std::unique_ptr<cuda_device> open(std::uint64_t limit_bytes) {
  auto made = cuda_device::create({.memory_limit_bytes = limit_bytes});
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::move(*made) : nullptr;
}

TEST(CudaDevice, says_why_there_is_none) {
  const auto made = cuda_device::create({.index = 1000});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, error_kind::unavailable);
  EXPECT_NE(made.error().message.find("GPU"), std::string::npos) << made.error().message;
  EXPECT_EQ(made.error().message.find('\n'), std::string::npos);
}

TEST(CudaDevice, keeps_its_memory_limit) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(1 << 20);
  ASSERT_TRUE(gpu);
  const auto first = gpu->allocate(1000);
  ASSERT_TRUE(first);
  const auto refused = gpu->allocate((1 << 20) - 1023);
  ASSERT_FALSE(refused) << "1,024 bytes are granted for 1,000";
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
  ASSERT_TRUE(gpu->free(*first));
  EXPECT_FALSE(gpu->free(*first));
  EXPECT_TRUE(gpu->allocate(1 << 20));
  EXPECT_FALSE(gpu->allocate(0));
  EXPECT_FALSE(gpu->allocate(~std::uint64_t{0})) << "rounded up it is nothing";
}

TEST(CudaDevice, refuses_a_limit_that_is_not_there) {
  ASSAY_NEEDS_GPU();
  const auto made = cuda_device::create({.memory_limit_bytes = std::uint64_t{1} << 50});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, error_kind::out_of_memory);
}

TEST(CudaDevice, copies_there_and_back_through_pinned_staging) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(std::uint64_t{1} << 28);
  ASSERT_TRUE(gpu);
  // Staging goes around twice, three pieces and a rest.
  const std::uint64_t bytes =
      (2 * device::pinned_staging::pieces + 3) * device::pinned_staging::piece_bytes + 4099;
  std::vector<std::byte> from(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  const auto first = gpu->allocate(bytes);
  const auto second = gpu->allocate(bytes);
  const auto stream = gpu->create_stream();
  ASSERT_TRUE(first && second && stream);
  ASSERT_TRUE(gpu->copy_async(*stream, first->address, from.data(), bytes, copy_direction::h2d));
  // Once a copy has returned, its source is the caller's again.
  const std::vector<std::byte> wanted = from;
  std::fill(from.begin(), from.end(), std::byte{0});
  ASSERT_TRUE(
      gpu->copy_async(*stream, second->address, first->address, bytes, copy_direction::d2d));
  auto pinned = device::pinned_buffer::create(bytes);
  ASSERT_TRUE(pinned);
  ASSERT_TRUE(
      gpu->copy_async(*stream, pinned->data(), second->address, bytes, copy_direction::d2h));
  ASSERT_TRUE(gpu->synchronize(*stream));
  EXPECT_EQ(std::memcmp(pinned->data(), wanted.data(), bytes), 0);
}

TEST(CudaDevice, refuses_copies_that_leave_a_buffer) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(1 << 20);
  ASSERT_TRUE(gpu);
  const auto buffer = gpu->allocate(1024);
  const auto stream = gpu->create_stream();
  ASSERT_TRUE(buffer && stream);
  std::vector<std::byte> host(4096);
  std::byte* at = buffer->address;
  for (const auto& refused :
       {gpu->copy_async(*stream, at, host.data(), 1025, copy_direction::h2d),
        gpu->copy_async(*stream, host.data(), at, 8, copy_direction::h2d),
        gpu->copy_async(*stream, host.data(), at + 1020, 8, copy_direction::d2h),
        gpu->copy_async(*stream, at, host.data(), 8, copy_direction::d2d),
        gpu->copy_async(*stream, at + 4, at, 8, copy_direction::d2d),
        gpu->copy_async({77}, at, host.data(), 8, copy_direction::h2d)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, error_kind::usage) << refused.error().message;
  }
}

TEST(CudaDevice, times_events_and_never_returns_a_stale_one) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(std::uint64_t{1} << 30);
  ASSERT_TRUE(gpu);
  const std::uint64_t bytes = std::uint64_t{256} << 20;
  const auto first = gpu->allocate(bytes);
  const auto second = gpu->allocate(bytes);
  const auto stream = gpu->create_stream();
  const auto begin = gpu->create_event();
  const auto end = gpu->create_event();
  ASSERT_TRUE(first && second && stream && begin && end);
  EXPECT_FALSE(gpu->is_reached(*begin)) << "never recorded";
  EXPECT_FALSE(gpu->elapsed_ns(*begin, *end));
  ASSERT_TRUE(gpu->record_event(*stream, *begin));
  ASSERT_TRUE(
      gpu->copy_async(*stream, second->address, first->address, bytes, copy_direction::d2d));
  ASSERT_TRUE(gpu->record_event(*stream, *end));
  (void)cudaGetLastError();
  // Reached already on a fast machine: both are right then.
  if (const auto early = gpu->elapsed_ns(*begin, *end); !early) {
    EXPECT_EQ(early.error().kind, error_kind::usage) << early.error().message;
  }
  ASSERT_TRUE(gpu->synchronize(*stream));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "whoever asks next would be told of it again";
  const auto spent = gpu->elapsed_ns(*begin, *end);
  ASSERT_TRUE(spent) << spent.error().message;
  // 512 MiB read and written cannot go faster than 10 TB/s on any memory of today.
  EXPECT_GT(*spent, 53'000);
  EXPECT_TRUE(*gpu->is_reached(*end));
}

TEST(CudaDevice, tells_its_observer_what_was_asked_and_granted) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(1 << 20);
  ASSERT_TRUE(gpu);
  device::recording_observer observer;
  gpu->set_observer(&observer);
  const auto stream = gpu->create_stream();
  const auto buffer = gpu->allocate(1000);
  ASSERT_TRUE(stream && buffer);
  const std::vector<std::byte> host(1000);
  gpu->set_range(3);
  ASSERT_TRUE(gpu->copy_async(*stream, buffer->address, host.data(), 999, copy_direction::h2d));
  ASSERT_FALSE(gpu->copy_async(*stream, buffer->address, host.data(), 9999, copy_direction::h2d));
  ASSERT_TRUE(gpu->synchronize(*stream));
  ASSERT_TRUE(gpu->free(*buffer));
  gpu->set_observer(nullptr);
  const auto calls = observer.submissions();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].asked_bytes, 999U);
  EXPECT_EQ(calls[0].range, 3);
  EXPECT_TRUE(calls[0].accepted);
  EXPECT_FALSE(calls[1].accepted);
  EXPECT_EQ(calls[2].kind, device::operation_kind::synchronize);
  const auto memory = observer.memory();
  ASSERT_EQ(memory.size(), 2U);
  EXPECT_EQ(memory[0].bytes, 1024U);
  EXPECT_EQ(memory[1].bytes, 1024U);
  EXPECT_EQ(memory[0].address, memory[1].address);
  EXPECT_TRUE(observer.activities().empty()) << "what ran is not the caller's to say";
}

TEST(CudaDevice, a_wait_names_the_recording_that_was_newest) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(1 << 20);
  ASSERT_TRUE(gpu);
  device::recording_observer observer;
  gpu->set_observer(&observer);
  const auto first = gpu->create_stream();
  const auto second = gpu->create_stream();
  const auto what = gpu->create_event();
  ASSERT_TRUE(first && second && what);
  ASSERT_TRUE(gpu->wait_event(*second, *what)) << "never recorded: holds nothing up";
  ASSERT_TRUE(gpu->record_event(*first, *what));
  ASSERT_TRUE(gpu->wait_event(*second, *what));
  ASSERT_TRUE(gpu->record_event(*first, *what));
  ASSERT_TRUE(gpu->wait_event(*second, *what));
  EXPECT_FALSE(gpu->record_event({77}, *what));
  ASSERT_TRUE(gpu->wait_event(*first, *what));
  EXPECT_FALSE(gpu->wait_event(*first, {77}));
  ASSERT_TRUE(gpu->synchronize(*first));
  ASSERT_TRUE(gpu->synchronize(*second));
  gpu->set_observer(nullptr);
  const auto calls = observer.submissions();
  ASSERT_EQ(calls.size(), 10U);
  const std::vector<device::correlation_id> wanted{
      0, 0, calls[1].correlation, 0, calls[3].correlation, 0, calls[3].correlation, 0, 0, 0};
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i].awaited, wanted[i]) << i;
}

TEST(CudaDevice, refuses_a_kernel_of_the_host) {
  ASSAY_NEEDS_GPU();
  const auto gpu = open(1 << 20);
  ASSERT_TRUE(gpu);
  const auto stream = gpu->create_stream();
  ASSERT_TRUE(stream);
  const auto refused = gpu->launch(*stream, {.name = "embed"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::unavailable);
  EXPECT_NE(refused.error().message.find("embed"), std::string::npos);
}

}  // namespace
}  // namespace assay::test
