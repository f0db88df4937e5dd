// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An engine on the first GPU with its own registry, ready to decode.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/telemetry/registry.h"
#include "tests/engine/running_engine.h"

namespace assay::test {

/// From the working directory, where the binary was carried to another machine.
inline std::filesystem::path tree(const std::string& path) {
  if (std::filesystem::exists(path)) return path;
  return std::filesystem::path(ASSAY_SOURCE_DIR) / path;
}

/// Throws where it cannot be loaded.
class running_gpu_engine {
 public:
  explicit running_gpu_engine(const std::string& folder, engine::engine_options options = {},
                              engine::gpu_engine_options gpu_options = {},
                              std::uint64_t memory_limit_bytes = std::uint64_t{1} << 30)
      : gpu_(engine_test::expect(
            device::cuda_device::create({.memory_limit_bytes = memory_limit_bytes}))),
        engine_(engine_test::expect(engine::gpu_engine::load(tree(folder), *gpu_, *gpu_, counters_,
                                                             options, gpu_options))) {}

  engine::gpu_engine* operator->() { return engine_.get(); }
  std::int64_t counter(telemetry::counter_id id) const { return counters_.read(id).integer(); }
  telemetry::reading reading(telemetry::counter_id id) const { return counters_.read(id); }

  /// A whole request of `tokens` new ones; `together` of them with one wait.
  std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, std::uint32_t tokens,
                                     std::uint32_t together = 1, double temperature = 0.0,
                                     std::uint64_t seed = 0) {
    using engine_test::expect;
    expect(engine_->begin_request(prompt, {tokens, temperature, seed, false}));
    std::vector<std::int32_t> ids;
    engine::step_result last = expect(engine_->prefill());
    ids.push_back(last.token);
    while (last.stopped == engine::stop_reason::none)
      for (const engine::step_result& step : expect(engine_->decode_steps(together))) {
        ids.push_back(step.token);
        last = step;
      }
    expect(engine_->end_request());
    return ids;
  }

 private:
  telemetry::registry counters_;
  std::unique_ptr<device::cuda_device> gpu_;
  std::unique_ptr<engine::gpu_engine> engine_;
};

}  // namespace assay::test
