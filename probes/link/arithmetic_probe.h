// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many f32 operations a second the cores do, measured beside the run with loops of its own:
// the other roof of its operators.
#pragma once

#include <cstdint>

#include "probes/link/multiply_add.h"
#include "probes/trace/run_facts.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

struct arithmetic_options {
  /// Of the registers that the run's own loops use; wider ones that it leaves idle bound nothing of
  /// it. Of what the CPU has, the widest up to here is measured.
  std::size_t vector_bytes = 64;
  std::uint32_t threads = 1;  ///< that a launch of the run uses at once
};

/// Sums that wait for nothing but themselves, on all threads at once; two operations a multiply-add
/// and lane. Each lane starts at 0 and takes lane * 1 + 1, so that in the end it holds how often:
/// exact in f32, and known only to who did them all.
///
/// The rate is of the span from the first thread's start to the last one's end. A busy machine
/// makes it smaller, never larger: the fastest sample stands.
///
/// Threads: one at a time; it makes the others.
/// Overhead: least_sample_ns a sample, and starting the threads.
class arithmetic_probe {
 public:
  static constexpr std::int64_t least_sample_ns = 200'000;

  explicit arithmetic_probe(const arithmetic_options& options);
  /// Of a variant that a test makes.
  arithmetic_probe(const multiply_add_variant& by, std::uint32_t threads);

  /// Errors: internal, where a lane does not hold what it must: then not all of it was done.
  result<void> sample();

  /// As of now, for the facts of the trace; without a rate until something was measured.
  trace::arithmetic_ceiling ceiling() const;

 private:
  multiply_add_variant by_;
  std::uint32_t threads_;
  double best_operations_per_s_ = 0.0;
  std::uint64_t samples_count_ = 0;
};

}  // namespace assay::probes
