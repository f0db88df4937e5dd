// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a ledger writes into a trace of a decode step's launches and of requests: the words that
// whoever plans and whoever reads share. The runtime neither writes nor reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::telemetry {

/// What does multiply-adds, and so bounds their rate.
enum class arithmetic : std::uint8_t {
  f32_fma,      ///< a processor's vector registers, a GPU's CUDA cores
  bf16_tensor,  ///< matrix units over 2-byte elements, sums in f32
};
inline constexpr std::size_t arithmetic_count = 2;

constexpr std::string_view to_string(arithmetic which) {
  switch (which) {
    case arithmetic::f32_fma:
      return "f32_fma";
    case arithmetic::bf16_tensor:
      return "bf16_tensor";
  }
  return "?";
}

/// What the products of one launch come to: two operations a multiply-add. Norms, rotations,
/// softmax, activations and additions of biases and residuals are not counted.
struct planned_products {
  arithmetic by = arithmetic::f32_fma;  ///< the fastest that its operands allow
  std::int64_t operations = 0;          ///< whatever the context
  /// For each token whose keys and values are read, the step's own included.
  std::int64_t operations_per_context_token = 0;
  std::int64_t kv_bytes_per_context_token = 0;

  friend bool operator==(const planned_products&, const planned_products&) = default;
};

/// One launch of a decode step, as somebody beside the program planned it.
struct planned_launch {
  std::string name;  ///< of the operator
  std::int64_t weight_bytes = 0;
  bool reads_kv = false;
  std::optional<planned_products> products{};  ///< where somebody planned them

  friend bool operator==(const planned_launch&, const planned_launch&) = default;
};

/// A request, as somebody beside the program planned it.
struct planned_request {
  /// Its decode step number i, from 0, has a context of so many tokens and i + 1 more.
  std::int64_t prompt_tokens = 0;
  std::int64_t prefill_operations = 0;  ///< of products, over the whole prefill
  /// Read by it at least: each operator's weights once a pass, the prompt's keys and values once.
  std::int64_t prefill_bytes = 0;
  arithmetic prefill_by = arithmetic::f32_fma;

  friend bool operator==(const planned_request&, const planned_request&) = default;
};

}  // namespace assay::telemetry
