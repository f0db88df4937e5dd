// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many operations a second a GPU does, measured beside the run by kernels of the harness's own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "probes/gpu_link/arithmetic_kernels.h"
#include "probes/gpu_link/gpu_memory.h"
#include "probes/gpu_link/held_stream.h"
#include "probes/trace/run_facts.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// f32 multiply-adds of CUDA cores, and dense bf16 products of tensor cores by mma.sync: what a
/// kernel can do that issues its products warp by warp. Products that a warp group issues (wgmma)
/// can be faster; where a library uses them, it may lie above this ceiling.
///
/// Timed between two events, behind a kernel that holds the stream until all is enqueued. Sums are
/// of whole numbers: their total is known to who did all of it, and checked. Operands are ones, so
/// that fewer wires turn than with a model's numbers: where a GPU lowers its clock for power, this
/// is a ceiling all the more.
///
/// Its operations carry no range: whoever records the driver's activity drops what lies between, as
/// with gpu_link_probe.
/// Threads: one.
class gpu_arithmetic_probe {
 public:
  /// Runs each kernel once: what the driver loads at a first launch might wait for the kernel that
  /// holds. Errors: CUDA's; internal, where an answer is wrong.
  static result<std::unique_ptr<gpu_arithmetic_probe>> create(int device);

  /// One measurement of each kind. Errors: CUDA's; internal, where an answer is wrong.
  result<void> sample();

  std::vector<trace::arithmetic_ceiling> ceilings() const;

 private:
  struct kind {
    telemetry::arithmetic by;
    const char* how;
    arithmetic_work work;
    double operations;
    std::uint64_t answer;
    cudaError_t (*enqueue)(cudaStream_t, const arithmetic_work&, std::uint64_t*);
    double best_operations_per_s = 0.0;
    std::uint64_t samples_count = 0;
  };

  gpu_arithmetic_probe() = default;
  result<void> enqueue(const kind& what);
  result<void> check(const kind& what);

  std::unique_ptr<held_stream> stream_;
  device_words sum_;
  std::vector<kind> kinds_;
};

}  // namespace assay::probes
