// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An engine on a host device with its own registry, ready to decode.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/resident_model.h"
#include "runtime/telemetry/registry.h"

namespace assay::engine_test {

inline const std::filesystem::path micro_folder =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "scenarios/embedded/micro-qwen3";
/// A fixture of random weights by the name of its folder.
inline std::filesystem::path tiny(const std::string& name) {
  return std::filesystem::path(ASSAY_FIXTURES) / "tiny" / name;
}
inline const std::filesystem::path tiny_folder = tiny("qwen3");
/// Every such fixture.
inline const std::vector<std::string> all_tiny{"llama", "llama3",    "llama-bf16-sharded",
                                               "qwen2", "qwen2-f16", "qwen3"};

/// Throws where it cannot be loaded.
class running_engine {
 public:
  explicit running_engine(const std::filesystem::path& folder, engine::engine_options options = {});
  /// Alters the model between its load and the engine's start: a planted defect.
  running_engine(const std::filesystem::path& folder,
                 const std::function<void(engine::resident_model&)>& alter);

  engine::engine& operator*() { return *engine_; }
  engine::engine* operator->() { return engine_.get(); }
  device::host_device& device() { return *device_; }

  std::int64_t counter(telemetry::counter_id id) const { return counters_.read(id).integer(); }
  telemetry::reading reading(telemetry::counter_id id) const { return counters_.read(id); }
  telemetry::registry& counters() { return counters_; }

  /// Runs a whole request and returns its tokens.
  std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt,
                                     const engine::request_options& options);

 private:
  telemetry::registry counters_;
  std::unique_ptr<device::host_device> device_;
  std::unique_ptr<engine::engine> engine_;
};

/// For names of parametrised tests, which take no dash.
inline std::string test_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

/// max |a - b| over max |b|.
double relative_difference(std::span<const float> a, std::span<const float> b);

/// The value, or a failed test that prints the error.
template <class T>
T expect(result<T> got) {
  if (!got) throw std::runtime_error(got.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*got);
}

}  // namespace assay::engine_test
