// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The decode engine: a checkpoint on a device, one request at a time, step by step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/model_config.h"
#include "runtime/device/device.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct resident_model;

/// For tests: what one pass computed, copied off the device.
struct forward_capture {
  std::vector<float> logits;               ///< (positions, vocab_rows) row-major
  std::vector<std::vector<float>> hidden;  ///< embed, then after each layer: (positions, hidden)
  std::vector<float> final_norm;           ///< (positions, hidden)
};

/// Ownership: device and counter writer must outlive the engine; the engine owns its buffers.
/// Threads: one.
/// Streams and events: one stream and one event pair for the load, one stream and three pairs for
/// the steps; a device keeps them after the engine is gone.
/// A step submits: ids h2d, 6 kernels a layer and 2 more, 2 d2d copies a layer and KV page touched,
/// logits d2h, and 3 event pairs; then it waits once. Where a request goes on from a kept prompt,
/// its prefill takes the rest of the ids, and one d2d copy a layer where they begin within a page.
/// A kept prompt's pages that must leave the device, or come back, are a copy a layer each, and a
/// wait. Errors: unusable_input (prompt empty, id outside the vocabulary, longer than the context;
/// NaN logits), out_of_memory (naming what did not fit), and the device's own.
class engine final : public decode_engine {
 public:
  /// Opens the checkpoint, checks what it needs against the arena before copying anything, copies
  /// each weight once, and returns when all are resident.
  static result<std::unique_ptr<engine>> load(const std::filesystem::path& folder,
                                              device::device& on,
                                              telemetry::counter_writer& counters,
                                              const engine_options& options);
  /// The same on weights that are resident already. Allocates KV pages and activations.
  static result<std::unique_ptr<engine>> start(resident_model model, device::device& on,
                                               telemetry::counter_writer& counters,
                                               const engine_options& options);
  ~engine() override;

  const checkpoint::model_config& config() const override;

  result<void> begin_request(std::span<const std::int32_t> prompt,
                             const request_options& options) override;
  result<step_result> prefill() override;
  result<step_result> decode_step() override;
  result<void> end_request() override;

  /// Logits of the last step. Shape: (vocab_rows) f32, host; valid until the next step.
  std::span<const float> logits() const;

  const std::byte* embedding_address() const override;
  device::stream compute_stream() const override;
  std::uint32_t kv_pages_by_walk() const override;
  std::uint32_t kv_shared_pages_by_walk() const override;
  std::optional<resident_weight> first_resident() const override;

  /// Another limit, between two steps, for an engine that was loaded with one: what it keeps is
  /// filled anew. Errors: usage: loaded without a limit, or more than the device has;
  /// out_of_memory: less than a step needs, and nothing has changed then.
  result<void> change_memory_limit(std::uint64_t limit_bytes);

  /// One pass over `ids` from position 0 outside of any request, every position's logits.
  /// Errors: usage, where a request is open; otherwise as a request's.
  result<forward_capture> forward(std::span<const std::int32_t> ids);

 private:
  static result<std::unique_ptr<engine>> open(const std::filesystem::path& folder,
                                              device::device& on,
                                              telemetry::counter_writer& counters,
                                              const engine_options& options);
  static result<std::unique_ptr<engine>> load_under_limit(checkpoint::checkpoint opened,
                                                          device::device& on,
                                                          telemetry::counter_writer& counters,
                                                          const engine_options& options);
  struct state;
  explicit engine(std::unique_ptr<state> state);
  std::unique_ptr<state> state_;
};

}  // namespace assay::engine
