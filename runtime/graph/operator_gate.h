// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Who stands before and behind each operator of a step: whoever brings its weights in time.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/telemetry/result.h"

namespace assay::graph {

/// The operators of a layer that read weights, and the head behind the last one. `heads` are the
/// norms of single heads, which an architecture may not have; attention reads no other weight.
enum class weight_operator : std::uint8_t { qkv, heads, output, mlp, down, head };

/// Told of every operator, in the order of a step. Weights that it has come by now are those that
/// the operator reads: addresses are looked up after before().
/// Threads: one. Errors: whatever bringing the weights may fail with; the operator is not launched.
class operator_gate {
 public:
  virtual ~operator_gate() = default;
  /// True where the operator must not begin while the one before it still runs: what it prefetches
  /// is only then where it is read from.
  virtual result<bool> before(weight_operator what, std::uint32_t layer) = 0;
  /// Everything that reads the operator's weights has been enqueued.
  virtual result<void> after(weight_operator what, std::uint32_t layer) = 0;
};

/// Takes each kernel and each product: how many kernels it is, and what enqueues them. It calls
/// `work` once, and may tell others around it.
using enqueue_function =
    std::function<result<void>(std::uint32_t kernels, const std::function<result<void>()>& work)>;

}  // namespace assay::graph
