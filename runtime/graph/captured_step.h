// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A step that is captured once and replayed, and the account of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <cuda_runtime_api.h>

#include "runtime/telemetry/result.h"

namespace assay::graph {

/// What became of a step's graph. Counts since the step was made; by the side that submits, so
/// what ran is for others to say.
struct graph_tally {
  std::uint64_t captures = 0;        ///< captures that were begun
  std::uint64_t instantiations = 0;  ///< graphs that became executable
  std::uint64_t replays = 0;         ///< steps that one graph launch enqueued
  std::uint64_t eager_steps = 0;     ///< steps that were enqueued kernel by kernel
  std::uint64_t nodes = 0;           ///< of the executable graph; 0 without one
  std::uint64_t kernel_nodes = 0;
  std::string eager_reason;  ///< why steps run eagerly; empty while they are replayed
};

/// Runs a list of launches as a graph, or kernel by kernel where the graph cannot be had.
/// The first run captures. A capture or instantiation that fails is not an error: the steps run
/// eagerly from then on, and the tally says why. A replay that fails is one.
/// Ownership: the executable graph; the stream is the caller's. Threads: one.
/// Overhead: a replay is one driver call, whatever the number of kernels.
class captured_step {
 public:
  using submit_function = std::function<result<void>()>;

  /// `submit` enqueues the step's launches on `stream` and nothing else.
  captured_step(cudaStream_t stream, submit_function submit)
      : stream_(stream), submit_(std::move(submit)) {}
  ~captured_step();
  captured_step(const captured_step&) = delete;
  captured_step& operator=(const captured_step&) = delete;

  /// Enqueues the step once and returns. Errors: CUDA's, from a replay or from an eager submission.
  result<void> run();
  /// Every later run is eager, for the reason given.
  void run_eagerly(std::string reason);
  const graph_tally& tally() const { return tally_; }

 private:
  result<void> capture();
  result<void> instantiate(cudaGraph_t graph);
  void drop();

  cudaStream_t stream_;
  submit_function submit_;
  cudaGraphExec_t executable_ = nullptr;
  graph_tally tally_;
};

}  // namespace assay::graph
