// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a sum could be split by the number of threads: the same prompt would then give
// one text on one machine and another on the next.
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/synth/synth.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

namespace fs = std::filesystem;

// Matrices of several blocks each: a tiny model would run on one thread whatever there is.
class Threads : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::path(testing::TempDir()) / ("threads-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    expect(synth::write_checkpoint(expect(synth::find_shape("tiny-qwen3")), 5, folder_,
                                   [](auto, auto) { return result<void>(); }));
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static inline fs::path folder_;
};

struct decoded {
  std::vector<std::int32_t> tokens;
  std::vector<float> logits;  // of every step
  std::int64_t weight_bytes = 0;
};

decoded decode_with(const fs::path& folder, std::uint32_t threads) {
  telemetry::registry counters;
  const auto device =
      expect(device::host_device::create({std::uint64_t{64} << 20, 20'000, threads}));
  const auto engine = expect(engine::engine::load(folder, *device, counters, {}));
  std::vector<std::int32_t> prompt(75);
  std::iota(prompt.begin(), prompt.end(), 3);
  engine::request_options options;
  options.max_new_tokens = 64;
  options.stop_at_eos = false;
  decoded out;
  expect(engine->begin_request(prompt, options));
  engine::step_result step = expect(engine->prefill());
  for (;;) {
    out.tokens.push_back(step.token);
    out.logits.insert(out.logits.end(), engine->logits().begin(), engine->logits().end());
    if (step.stopped != engine::stop_reason::none) break;
    step = expect(engine->decode_step());
  }
  expect(engine->end_request());
  out.weight_bytes = counters.read(telemetry::counter_id::compute_weight_bytes).integer();
  return out;
}

TEST_F(Threads, change_neither_tokens_nor_a_bit_of_a_logit) {
  const decoded alone = decode_with(folder_, 1);
  EXPECT_EQ(alone.tokens.size(), 64U);
  for (const std::uint32_t threads : {2U, 3U, 5U}) {
    const decoded shared = decode_with(folder_, threads);
    EXPECT_EQ(shared.tokens, alone.tokens) << threads << " threads";
    EXPECT_TRUE(shared.logits == alone.logits) << threads << " threads";
    EXPECT_EQ(shared.weight_bytes, alone.weight_bytes) << threads << " threads";
  }
}

}  // namespace
}  // namespace assay::engine_test
