// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The inner loops that a model spends its time in, once an instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/checkpoint/safetensors.h"
#include "runtime/ops/isa.h"

namespace assay::ops {

/// Rows of a weight, one below the other, and where their products go.
struct row_run {
  const std::byte* first = nullptr;
  std::uint32_t rows = 0;
  float* out = nullptr;
};
/// Four runs side by side: each value of `x` is loaded once for four products, and more of the
/// memory's requests are in flight than one run keeps there.
using row_runs = std::array<row_run, 4>;

/// A panel of weights, widened to f32 and transposed: values[k][lane] is column k of row `lane`.
/// 32 KiB, which stays in a second-level cache while many tokens are multiplied with it.
inline constexpr std::uint32_t panel_lanes = 32;
inline constexpr std::uint32_t panel_columns = 256;
struct alignas(64) weight_panel {
  std::array<std::array<float, panel_lanes>, panel_columns> values;
};

/// Activations of up to 12 tokens over a panel's columns, `stride` floats apart.
inline constexpr std::uint32_t tile_tokens = 12;
struct token_rows {
  const float* first = nullptr;
  std::size_t stride = 0;
};

/// Where a product of panel and tile goes: out[t * stride + lane] (=, +=) the sum over `columns`.
struct panel_target {
  float* out = nullptr;
  std::size_t stride = 0;
  std::uint32_t tokens = 0;  ///< 1..tile_tokens
  std::uint32_t lanes = 0;   ///< 1..panel_lanes
  bool is_sum = false;
};

/// Rows of one page for one KV head, and the query heads that share them.
/// Shapes: rows (count, columns) f32, `stride` floats apart; shares (heads, count), `shares_stride`
/// floats apart; q and out (heads, columns) dense.
/// `next` lies like `rows`: what is read after them, and is asked of the memory meanwhile. No
/// prefetcher of the hardware would, because neighbouring rows lie a page of memory apart.
struct page_rows {
  const float* rows = nullptr;
  std::size_t stride = 0;
  std::uint32_t count = 0;
  const float* next = nullptr;  ///< null where nothing follows
};

/// One instruction set's inner loops. All accumulate in f32, in an order that depends on shapes
/// alone: a row's product is the same whichever rows, threads or blocks are beside it.
struct vector_kernels {
  /// out[i] (=, +=) row i · x of each run, dense rows of `columns`. Returns the rows that were
  /// multiplied, counted where each was.
  std::uint32_t (*dot_rows)(checkpoint::dtype type, const row_runs& runs, const float* x,
                            std::size_t columns, bool is_sum);
  /// Widens `rows` rows (up to panel_lanes) of `columns` columns (up to panel_columns), `row_bytes`
  /// apart, into a panel. Lanes without a row are zero.
  void (*fill_panel)(checkpoint::dtype type, const std::byte* first, std::size_t row_bytes,
                     std::uint32_t rows, std::uint32_t columns, weight_panel& to);
  void (*multiply_panel)(const weight_panel& weights, const token_rows& x, std::uint32_t columns,
                         const panel_target& to);
  /// scores[h][i] = q[h] · row i · scale.
  void (*score_rows)(const page_rows& keys, const float* q, std::uint32_t heads,
                     std::uint32_t columns, float scale, float* scores, std::size_t scores_stride);
  /// out[h] += Σ shares[h][i] · row i.
  void (*mix_rows)(const page_rows& values, const float* shares, std::size_t shares_stride,
                   std::uint32_t heads, std::uint32_t columns, float* out);
};

/// The loops of an instruction set that this processor has.
const vector_kernels& kernels_of(isa which) noexcept;

/// Those in force.
inline const vector_kernels& kernels_in_force() noexcept {
  return kernels_of(isa_in_force());
}

}  // namespace assay::ops
