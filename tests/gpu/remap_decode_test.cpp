// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, offload and captured graphs could be thought to work together because each works
// alone: here all memory of a model is exchanged in the middle of a decode.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/cuda/gpu_shape.h"
#include "runtime/telemetry/registry.h"
#include "tests/engine/running_engine.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/remapping_device.h"

namespace assay::test {
namespace {

using engine_test::expect;
using telemetry::counter_id;

/// From the working directory, where the binary was carried to another machine.
std::filesystem::path micro() {
  const std::string path = "scenarios/embedded/micro-qwen3";
  if (std::filesystem::exists(path)) return path;
  return std::filesystem::path(ASSAY_SOURCE_DIR) / path;
}

struct decoded {
  std::vector<std::int32_t> tokens;
  std::vector<std::vector<float>> logits;  // of each step
};

class RemapDecode : public testing::Test {
 protected:
  static constexpr std::uint32_t page_tokens = 16;
  static constexpr std::uint32_t context_tokens = 512;
  static constexpr int steps = 24;

  void SetUp() override {
    ASSAY_NEEDS_GPU();
    gpu_ = expect(device::cuda_device::create({.memory_limit_bytes = std::uint64_t{1} << 30}));
    on_ = std::make_unique<remapping_device>(*gpu_);
    engine_ = expect(engine::gpu_engine::load(
        micro(), *on_, *gpu_, counters_,
        {.context_tokens = context_tokens, .kv_page_tokens = page_tokens}));
    ASSERT_GE(on_->buffers().size(), 3U) << "weights, pages, activations";
    const auto config = expect(checkpoint::checkpoint::open(micro())).config();
    const auto shape =
        engine::shape_of(config, page_tokens, context_tokens, ops::cuda::element::bf16);
    engine::carve(on_->buffers()[2].address, shape, buffers_);
    vocab_rows_ = config.vocab_rows;
  }

  std::vector<float> logits() {
    std::vector<float> row(vocab_rows_);
    expect(device::cuda_try(
        cudaMemcpy(row.data(), buffers_.logits, row.size() * sizeof(float), cudaMemcpyDeviceToHost),
        "cudaMemcpy", __FILE__, __LINE__));
    return row;
  }
  /// Steps through a request; `between` runs before the step with its number.
  template <class Between>
  decoded decode(Between between) {
    decoded all;
    engine::request_options options;
    options.max_new_tokens = steps + 1;
    options.stop_at_eos = false;
    expect(engine_->begin_request(prompt_, options));
    all.tokens.push_back(expect(engine_->prefill()).token);
    all.logits.push_back(logits());
    for (int step = 0; step < steps; ++step) {
      between(step);
      all.tokens.push_back(expect(engine_->decode_step()).token);
      all.logits.push_back(logits());
    }
    expect(engine_->end_request());
    return all;
  }
  void expect_same(const decoded& got, const decoded& want) {
    EXPECT_EQ(got.tokens, want.tokens);
    ASSERT_EQ(got.logits.size(), want.logits.size());
    for (std::size_t i = 0; i < want.logits.size(); ++i)
      EXPECT_EQ(std::memcmp(got.logits[i].data(), want.logits[i].data(),
                            want.logits[i].size() * sizeof(float)),
                0)
          << "step " << i;
  }
  std::int64_t counter(counter_id id) const { return counters_.read(id).integer(); }

  const std::vector<std::int32_t> prompt_{5, 17, 290, 41, 1033, 7, 7, 62, 900, 11, 350, 48};
  telemetry::registry counters_;
  std::unique_ptr<device::cuda_device> gpu_;
  std::unique_ptr<remapping_device> on_;
  std::unique_ptr<engine::gpu_engine> engine_;
  graph::decode_buffers buffers_;
  std::uint32_t vocab_rows_ = 0;
};

TEST_F(RemapDecode, logits_are_the_same_bits_when_all_memory_is_exchanged_under_one_graph) {
  const decoded first = decode([](int) {});
  ASSERT_GT(first.logits[0].size(), 1U);
  EXPECT_NE(first.logits.front(), first.logits.back());
  expect_same(decode([](int) {}), first);  // else the comparison below could not be of bits
  std::uint32_t exchanged = 0;
  const decoded moved = decode([&](int step) {
    if (step % 8 != 4) return;
    for (const device::buffer& each : on_->buffers())
      exchanged += expect(on_->exchange(each, engine_->compute_stream(), true));
  });
  expect_same(moved, first);
  EXPECT_GE(exchanged, 3U * 3U);
  std::printf("%u pages exchanged at three points of one decode\n", exchanged);
  // One for all three requests.
  EXPECT_EQ(counter(counter_id::graph_captures_count), 1);
  EXPECT_EQ(counter(counter_id::graph_instantiations_count), 1);
  EXPECT_GE(counter(counter_id::graph_replays_count), steps);
  EXPECT_EQ(counter(counter_id::graph_eager_steps_count), 0);
}

// The other side: were the old pages read, or a copy of them kept somewhere, this would not show.
TEST_F(RemapDecode, without_their_contents_the_new_pages_are_what_the_graph_reads) {
  const decoded first = decode([](int) {});
  expect(on_->exchange(on_->buffers()[0], engine_->compute_stream(), false).map([](auto) {}));
  expect(engine_->begin_request(prompt_, {}));
  const auto ruined = engine_->prefill();
  EXPECT_TRUE(!ruined || logits() != first.logits[0]);
  expect(engine_->end_request());
}

}  // namespace
}  // namespace assay::test
