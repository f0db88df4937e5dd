// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An engine on a host device with its own registry, ready to decode.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/resident_model.h"
#include "runtime/telemetry/registry.h"

namespace assay::engine_test {

inline const std::filesystem::path micro_folder =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "scenarios/embedded/micro-qwen3";
inline const std::filesystem::path tiny_folder =
    std::filesystem::path(ASSAY_FIXTURES) / "tiny/qwen3";

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

/// max |a - b| over max |b|.
double relative_difference(std::span<const float> a, std::span<const float> b);

/// The value, or a failed test that prints the error.
template <class T>
T expect(result<T> got) {
  if (!got) throw std::runtime_error(got.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*got);
}

}  // namespace assay::engine_test
