// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a captured graph could write to memory that was given to somebody else when the
// pages behind its addresses were exchanged, and a page could leave under a replay.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/cuda/cuda_virtual_memory.h"
#include "runtime/device/stable_range.h"
#include "runtime/telemetry/check.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using device::cuda_device;
using device::page_pointer;
using device::stable_range;

constexpr std::uint64_t probe_bytes = 4096;
constexpr unsigned char captured_value = 0x5A;
constexpr unsigned char sentinel = 0x77;
constexpr std::uint64_t limit_bytes = std::uint64_t{64} << 20;

class Remap : public testing::Test {
 protected:
  void SetUp() override {
    ASSAY_NEEDS_GPU();
    gpu_ = std::move(*cuda_device::create({.memory_limit_bytes = std::uint64_t{1} << 26}));
    auto made = device::cuda_virtual_memory::create(gpu_->index(), limit_bytes);
    ASSERT_TRUE(made) << made.error().message;
    memory_ = std::move(*made);
    auto range = stable_range::reserve(*gpu_, memory_, 4 * memory_->page_bytes());
    ASSERT_TRUE(range) << range.error().message;
    range_ = std::move(*range);
    stream_ = *gpu_->create_stream();
  }
  void TearDown() override {
    if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  }

  cudaStream_t native() const { return gpu_->native(stream_); }
  page_pointer fresh() { return memory_->create_page().value(); }
  void map(std::uint32_t page, page_pointer what) {
    const auto mapped = range_->map(page, std::move(what));
    ASSERT_TRUE(mapped) << mapped.error().message;
  }
  /// Captures what `enqueue` enqueues, as one graph.
  template <class Enqueue>
  void capture(Enqueue enqueue) {
    ASSERT_CUDA(cudaStreamBeginCapture(native(), cudaStreamCaptureModeRelaxed));
    enqueue();
    ASSERT_CUDA(cudaStreamEndCapture(native(), &graph_));
    ASSERT_CUDA(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  void capture_fill(std::byte* at) {
    capture([&] { ASSERT_CUDA(cudaMemsetAsync(at, captured_value, probe_bytes, native())); });
  }
  void replay() {
    ASSERT_CUDA(cudaGraphLaunch(executable_, native()));
    const auto noted = range_->note_use(stream_);
    ASSERT_TRUE(noted) << noted.error().message;
  }
  void fill(std::byte* at, unsigned char value, std::uint64_t bytes = probe_bytes) {
    ASSERT_CUDA(cudaMemsetAsync(at, value, bytes, native()));
    ASSERT_TRUE(gpu_->synchronize(stream_));
  }
  /// Every byte of the probe, or nothing where it is not one value.
  std::optional<unsigned char> value_at(const std::byte* at) {
    ASSAY_CHECK(gpu_->synchronize(stream_).has_value(), "the stream failed");
    std::vector<unsigned char> bytes(probe_bytes);
    if (cudaMemcpy(bytes.data(), at, probe_bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
      return std::nullopt;
    const bool is_one = std::all_of(bytes.begin(), bytes.end(),
                                    [&](unsigned char each) { return each == bytes.front(); });
    return is_one ? std::optional(bytes.front()) : std::nullopt;
  }

  std::unique_ptr<cuda_device> gpu_;
  std::shared_ptr<device::virtual_memory> memory_;
  std::unique_ptr<stable_range> range_;
  device::stream stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

TEST_F(Remap, a_page_is_of_the_drivers_granularity) {
  EXPECT_EQ(memory_->page_bytes() % (std::uint64_t{2} << 20), 0U) << memory_->page_bytes();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range_->address()) % memory_->page_bytes(), 0U);
}

TEST_F(Remap, a_captured_graph_writes_to_the_page_that_is_mapped_when_it_is_replayed) {
  map(0, fresh());
  fill(range_->address(), sentinel);
  capture_fill(range_->address());
  replay();
  EXPECT_EQ(value_at(range_->address()), captured_value);
  const auto before = range_->remap(0, fresh());
  ASSERT_TRUE(before) << before.error().message;
  // A new page may be the recycled one, with the graph's own value in it.
  fill(range_->address(), sentinel);
  ASSERT_EQ(value_at(range_->address()), sentinel);
  replay();
  EXPECT_EQ(value_at(range_->address()), captured_value) << "the replay went elsewhere";
  // Nor has the page that was there before been touched again.
  map(1, *before);
  fill(range_->address_of(1), 0x11);
  replay();
  EXPECT_EQ(value_at(range_->address_of(1)), 0x11);
}

TEST_F(Remap, growth_leaves_the_graph_and_the_page_before_alone) {
  ASSERT_TRUE(range_->grow(1));
  capture_fill(range_->address());
  ASSERT_TRUE(range_->grow(2));
  fill(range_->address_of(1), sentinel, 2 * memory_->page_bytes());
  replay();
  EXPECT_EQ(value_at(range_->address()), captured_value);
  EXPECT_EQ(value_at(range_->address_of(1)), sentinel);
  EXPECT_EQ(value_at(range_->address_of(3) - probe_bytes), sentinel);
  EXPECT_EQ(memory_->live_bytes(), 3 * memory_->page_bytes());
}

TEST_F(Remap, two_addresses_of_one_page_are_one_memory_for_a_graph_too) {
  const page_pointer shared = fresh();
  map(0, shared);
  map(1, shared);
  map(2, fresh());
  fill(range_->address_of(2), sentinel);
  capture([&] {
    ASSERT_CUDA(cudaMemcpyAsync(range_->address_of(2), range_->address_of(0), probe_bytes,
                                cudaMemcpyDeviceToDevice, native()));
  });
  fill(range_->address_of(1), 0x3C);
  replay();
  EXPECT_EQ(value_at(range_->address_of(2)), 0x3C);
}

void wait_for_gate(void* gate) {
  while (!static_cast<std::atomic<bool>*>(gate)->load())
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

TEST_F(Remap, unmap_waits_for_a_replay_that_is_still_to_come) {
  const page_pointer page = fresh();
  map(0, page);
  map(1, page);
  fill(range_->address(), sentinel);
  capture_fill(range_->address());
  std::atomic<bool> gate{false};
  ASSERT_CUDA(cudaLaunchHostFunc(native(), wait_for_gate, &gate));
  replay();
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.store(true);
  });
  const auto gone = range_->unmap(0);
  const bool was_open = gate.load();
  opener.join();
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_TRUE(was_open);
  EXPECT_EQ(range_->tally().waits, 1U);
  EXPECT_EQ(value_at(range_->address_of(1)), captured_value);
}

TEST_F(Remap, refusals_name_what_was_asked) {
  const auto message_of = [](const auto& got) { return got ? "" : got.error().message; };
  map(0, fresh());
  EXPECT_EQ(message_of(range_->map(0, fresh())),
            "stable range: map of page 0, which is mapped; unmap or remap it");
  EXPECT_EQ(message_of(range_->unmap(2)),
            "stable range: unmap of page 2, which is not mapped; map it first");
  EXPECT_NE(message_of(range_->map(9, fresh())).find("page 9, but it has 4"), std::string::npos);
  std::vector<page_pointer> held;
  auto page = memory_->create_page();
  for (; page; page = memory_->create_page()) held.push_back(*std::move(page));
  EXPECT_EQ(page.error().kind, error_kind::out_of_memory);
  EXPECT_NE(page.error().message.find("limit 67108864"), std::string::npos) << page.error().message;
  // More addresses than a GPU has: the driver's word, under its name.
  const auto endless = stable_range::reserve(*gpu_, memory_, std::uint64_t{1} << 52);
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().message.find("cuMemAddressReserve"), std::string::npos)
      << endless.error().message;
}

}  // namespace
}  // namespace assay::test
