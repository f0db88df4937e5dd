// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The decode engine on a GPU: greedy, one sequence, with every counter of the contract.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// A step is one replay of a captured graph: the token, its position and the choice stay in device
/// memory. A prompt goes through the same steps, a token each, without a wait between them.
/// A request submits, in prefill: prompt ids, state, rotary frequencies and block table h2d, a
/// replay a token, one chosen id d2h; in a step: the table's new entry where a page was taken, a
/// replay, one chosen id d2h; event pairs around each of the three; then it waits once. Ownership:
/// devices and counter writer outlive the engine; the engine owns its buffers. Threads: one.
/// Errors: load: unusable_input, where no kernel covers the model; out_of_memory; begin_request:
/// usage, for a temperature above 0: the head's kernel takes the highest logit.
class gpu_engine final : public decode_engine {
 public:
  /// `on` takes every call; it is `gpu`, or passes through to it.
  static result<std::unique_ptr<gpu_engine>> load(const std::filesystem::path& folder,
                                                  device::device& on, device::cuda_device& gpu,
                                                  telemetry::counter_writer& counters,
                                                  const engine_options& options);
  ~gpu_engine() override;

  const checkpoint::model_config& config() const override;
  result<void> begin_request(std::span<const std::int32_t> prompt,
                             const request_options& options) override;
  result<step_result> prefill() override;
  result<step_result> decode_step() override;
  result<void> end_request() override;
  const std::byte* embedding_address() const override;
  device::stream compute_stream() const override;
  std::uint32_t kv_pages_by_walk() const override;
  std::uint32_t kv_shared_pages_by_walk() const override;

  /// Where the device keeps its own count of steps, a uint32, since the request began.
  const std::byte* step_count_address() const;
  /// Why steps run kernel by kernel; empty while they are replayed.
  const std::string& eager_reason() const;

 private:
  struct state;
  explicit gpu_engine(std::unique_ptr<state> state);
  static result<std::unique_ptr<state>> open(const std::filesystem::path& folder,
                                             device::device& on, device::cuda_device& gpu,
                                             telemetry::counter_writer& counters,
                                             const engine_options& options);
  std::unique_ptr<state> state_;
};

}  // namespace assay::engine
