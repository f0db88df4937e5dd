// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One shape of prefill's kernels, run on a GPU and held against the reference in double.
#pragma once

#include <cstdint>
#include <random>

#include "runtime/ops/cuda/prefill_kernels.h"

namespace assay::test {

struct prefill_case {
  ops::cuda::element type;
  std::uint32_t heads;
  std::uint32_t kv_heads;
  std::uint32_t head_dim;
  std::uint32_t first;
  std::uint32_t tokens;
  std::uint32_t page_tokens = 16;
  bool has_norm = true;
  bool has_bias = false;

  std::uint32_t all_heads() const { return heads + 2 * kv_heads; }
};

/// What is where no token's row is, and where a result will be: no numbers, which would show in a
/// result, or memory that nobody wrote: initcheck tells of whoever reads that.
enum class beside_rows : std::uint8_t { no_numbers, unwritten };

/// append_rows and attend_rows. Fails the test.
void check_prefill_case(const prefill_case& c, ops::cuda::row_attention kind,
                        std::mt19937_64& random, beside_rows beside = beside_rows::no_numbers);
/// The driver makes no map of rows that begin at no multiple of 16 bytes: by shape, warps attend to
/// these, and the code is told; who asked for the maps gets the code.
void check_refused_maps(const prefill_case& c, std::mt19937_64& random);
/// norm_rows and gate_rows, and embed_rows, on `tokens` rows. Fail the test.
void check_norm_and_gate(ops::cuda::element type, std::uint32_t columns, std::uint32_t tokens,
                         std::mt19937_64& random, beside_rows beside = beside_rows::no_numbers);
void check_embed(ops::cuda::element type, std::uint32_t columns, std::uint32_t tokens,
                 std::mt19937_64& random, beside_rows beside = beside_rows::no_numbers);

}  // namespace assay::test
