// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The decode engine on a GPU: one sequence, with every counter of the contract.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_prefill.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct gpu_engine_options {
  bool is_eager = false;  ///< steps kernel by kernel, for a comparison with the graph
  /// Of host memory, what streamed weights may stand in page-locked. Where they do not fit, they
  /// are streamed from their files by way of the device's ring of page-locked pieces, and the
  /// embedding alone stands. More than the machine has may end the process.
  std::uint64_t most_pinned_bytes = ~std::uint64_t{0};
  gpu_prefill_options prefill{};
};

/// A step is one replay of a captured graph: the token, its position and the choice stay in device
/// memory. A prompt goes through one pass, each kernel and each product of which is a call of the
/// device; through the same steps, a token each, where it is short or facts() say why.
/// Greedy, the head's kernel chooses. Above temperature 0 logits go to the host, which draws as the
/// host's engine does, and hands the id over with the next step.
/// A request submits, in prefill: prompt ids, state, rotary frequencies and block table h2d, the
/// pass or a replay a token, one chosen id (or the logits) d2h; in a step: the table's new entry
/// where a page was taken, the id that the host drew, a replay, one chosen id (or the logits) d2h;
/// event pairs around each of the three; then it waits once.
/// Under a limit on memory, which is of all that the process takes of the GPU, what does not fit
/// stands in page-locked host memory and is copied to each operator in time: steps are then
/// submitted kernel by kernel, each waited for, and every prompt goes through a pass where there is
/// one. Whoever sets the limit says by `reserved_bytes` what of it is taken by others than the
/// engine: the driver, its context and code, and observers. The embedding is read over the link, a
/// row a token, by the kernel that needs it.
/// Ownership: devices and counter writer outlive the engine; the engine owns its buffers.
/// Threads: one. Cached rows are of the weights' type; the host device keeps f32.
/// Errors: load: unusable_input, where no kernel covers the model; out_of_memory, before anything
/// is copied.
class gpu_engine final : public decode_engine {
 public:
  /// `on` takes every call; it is `gpu`, or passes through to it.
  static result<std::unique_ptr<gpu_engine>> load(const std::filesystem::path& folder,
                                                  device::device& on, device::cuda_device& gpu,
                                                  telemetry::counter_writer& counters,
                                                  const engine_options& options,
                                                  const gpu_engine_options& gpu_options = {});
  ~gpu_engine() override;

  const checkpoint::model_config& config() const override;
  result<void> begin_request(std::span<const std::int32_t> prompt,
                             const request_options& options) override;
  result<step_result> prefill() override;
  result<step_result> decode_step() override;
  /// Greedy: `most` steps are enqueued at once, with one wait at their end. Those after an end of
  /// the text ran in vain: graph.replays_count has them, engine.decode_steps_count has not.
  result<std::vector<step_result>> decode_steps(std::uint32_t most) override;
  result<void> end_request() override;
  const std::byte* embedding_address() const override;
  device::stream compute_stream() const override;
  std::uint32_t kv_pages_by_walk() const override;
  std::uint32_t kv_shared_pages_by_walk() const override;
  std::optional<resident_weight> first_resident() const override;
  std::vector<engine_fact> facts() const override;

  /// Another limit, between two steps, for an engine that was loaded with one: what it keeps is
  /// filled anew. Errors: usage: loaded without a limit, or more than the GPU has; out_of_memory:
  /// less than a step needs, and nothing has changed then.
  result<void> change_memory_limit(std::uint64_t limit_bytes);

  /// Where the device keeps its own count of steps, a uint32, since the request began.
  const std::byte* step_count_address() const;
  /// Whether prompts of enough tokens go through passes.
  bool has_passes() const;

  /// Takes in all of `ids` but the last `rows` together and those one by one, outside of any
  /// request; logits after each of the last. Shape: (rows, vocab_rows) f32.
  /// Errors: usage, where a request is open; otherwise as a request's.
  result<std::vector<float>> forward(std::span<const std::int32_t> ids, std::uint32_t rows);

 private:
  struct state;
  explicit gpu_engine(std::unique_ptr<state> state);
  static result<std::unique_ptr<state>> open(const std::filesystem::path& folder,
                                             device::device& on, device::cuda_device& gpu,
                                             telemetry::counter_writer& counters,
                                             const engine_options& options,
                                             const gpu_engine_options& gpu_options);
  std::unique_ptr<state> state_;
};

}  // namespace assay::engine
