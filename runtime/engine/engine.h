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

#include "runtime/checkpoint/model_config.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct resident_model;

struct engine_options {
  std::uint32_t context_tokens = 0;   ///< KV capacity; 0 takes the checkpoint's own maximum
  std::uint32_t kv_page_tokens = 16;  ///< 1..256
};

/// How tokens are chosen, and when to stop.
struct request_options {
  std::uint32_t max_new_tokens = 128;
  double temperature = 0.0;  ///< 0 is greedy: highest logit, lowest id on a tie
  std::uint64_t seed = 0;    ///< of a counter-based generator: draw n depends on (seed, n) alone
  bool stop_at_eos = true;
};

enum class stop_reason : std::uint8_t { none, eos, max_new_tokens, context_full };

/// A token that a step gave out.
struct step_result {
  std::int32_t token = 0;
  stop_reason stopped = stop_reason::none;
};

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
/// logits d2h, and 3 event pairs; then it waits once.
/// Errors: unusable_input (prompt empty, id outside the vocabulary, longer than the context; NaN
/// logits), out_of_memory (naming what did not fit), and the device's own.
class engine {
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
  ~engine();

  const checkpoint::model_config& config() const;

  /// Starts a request: counters that reset per request start again; pages are taken as needed.
  result<void> begin_request(std::span<const std::int32_t> prompt, const request_options& options);
  /// Runs the prompt and draws the first token. Waits for the device.
  result<step_result> prefill();
  /// Feeds the last token and draws the next. Waits for the device.
  result<step_result> decode_step();
  /// Gives the request's pages back.
  result<void> end_request();

  /// Logits of the last step. Shape: (vocab_rows) f32, host; valid until the next step.
  std::span<const float> logits() const;

  /// Where the embedding table lies on the device, for a look at what arrived there.
  const std::byte* embedding_address() const;
  /// The stream that the steps run on, for known-answer operations between two steps.
  device::stream compute_stream() const;
  /// Pages that a walk of the free list does not find: what runtime.kv.live_pages must say.
  std::uint32_t kv_pages_by_walk() const;

  /// One pass over `ids` from position 0 outside of any request, every position's logits.
  /// Errors: usage, where a request is open; otherwise as a request's.
  result<forward_capture> forward(std::span<const std::int32_t> ids);

 private:
  struct state;
  explicit engine(std::unique_ptr<state> state);
  std::unique_ptr<state> state_;
};

}  // namespace assay::engine
