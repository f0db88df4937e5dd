// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/multiply.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/ops/dot.h"

namespace assay::ops {
namespace {

// A tile of widened weights: 8 rows by 1024 columns is 32 KiB, what a first-level cache holds.
constexpr std::uint32_t tile_rows = 8;
constexpr std::uint32_t tile_columns = 1024;
using tile = std::array<std::array<float, tile_columns>, tile_rows>;

void put(float& where, float value, into how) {
  where = how == into::store ? value : where + value;
}

void multiply_one(const weight& w, row_range range, const float* x, float* out, into how,
                  device::block_context& context) {
  for (std::uint32_t first = range.begin; first < range.end; first += 4) {
    const std::uint32_t live = std::min(range.end - first, 4U);
    row_quad rows;
    for (std::uint32_t i = 0; i < 4; ++i) rows[i] = w.row(first + std::min(i, live - 1));
    std::array<float, 4> sums;
    dot_quad(w.type, rows, x, w.columns, sums);
    for (std::uint32_t i = 0; i < live; ++i) {
      put(out[first + i], sums[i], how);
      context.weight_bytes += w.row_bytes();
    }
  }
}

// Part of a weight, widened: `rows` rows from `row`, `columns` columns from `column`.
struct window {
  std::uint32_t row;
  std::uint32_t rows;
  std::uint32_t column;
  std::uint32_t columns;
};

void fill(tile& into_tile, const weight& w, const window& part, device::block_context& context) {
  const std::uint64_t element = checkpoint::bytes_of(w.type);
  for (std::uint32_t i = 0; i < part.rows; ++i) {
    widen(w.type, w.row(part.row + i) + part.column * element, part.columns, into_tile[i].data());
    context.weight_bytes += part.columns * element;
  }
}

void multiply_tile(const tile& from, const weight& w, const window& part, const float* x,
                   std::uint32_t tokens, float* out, into how) {
  const std::size_t columns = w.columns;
  for (std::uint32_t quad = 0; quad < part.rows; quad += 4) {
    const std::uint32_t live = std::min(part.rows - quad, 4U);
    std::array<const float*, 4> rows;
    for (std::uint32_t i = 0; i < 4; ++i) rows[i] = from[quad + std::min(i, live - 1)].data();
    for (std::uint32_t t = 0; t < tokens; t += 2) {
      const std::uint32_t pair = std::min(tokens - t, 2U);
      const float* x0 = x + t * columns + part.column;
      std::array<std::array<float, 4>, 2> sums;
      dot_quad_pair(rows, x0, x0 + (pair - 1) * columns, part.columns, sums);
      for (std::uint32_t j = 0; j < pair; ++j)
        for (std::uint32_t i = 0; i < live; ++i)
          put(out[std::size_t{t + j} * w.rows + part.row + quad + i], sums[j][i], how);
    }
  }
}

void multiply_many(const weight& w, row_range range, const float* x, std::uint32_t tokens,
                   float* out, into how, device::block_context& context) {
  alignas(64) tile widened;
  for (std::uint32_t row = range.begin; row < range.end; row += tile_rows) {
    for (std::uint32_t column = 0; column < w.columns; column += tile_columns) {
      const window part{row, std::min(tile_rows, range.end - row), column,
                        std::min(tile_columns, w.columns - column)};
      fill(widened, w, part, context);
      multiply_tile(widened, w, part, x, tokens, out, column == 0 ? how : into::add);
    }
  }
}

}  // namespace

row_range rows_of_block(std::uint32_t total, const device::block_context& context) {
  const std::uint32_t each = (total + context.blocks - 1) / context.blocks;
  const std::uint32_t begin = std::min(total, context.block * each);
  return {begin, std::min(total, begin + each)};
}

void multiply(const weight& w, row_range range, const float* x, std::uint32_t tokens, float* out,
              into how, device::block_context& context) {
  if (tokens == 1) return multiply_one(w, range, x, out, how, context);
  multiply_many(w, range, x, tokens, out, how, context);
}

void rms_norm(const weight& gain, float eps, const float* x, std::uint32_t tokens, float* out,
              device::block_context& context) {
  const std::uint32_t width = gain.columns;
  for (std::uint32_t from = 0; from < width; from += tile_columns) {
    std::array<float, tile_columns> gains;
    const std::uint32_t part = std::min(tile_columns, width - from);
    const std::uint64_t element = checkpoint::bytes_of(gain.type);
    widen(gain.type, gain.data + from * element, part, gains.data());
    context.weight_bytes += part * element;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const float* row = x + std::size_t{t} * width;
      const float mean = sum_of_squares(row, width) / static_cast<float>(width);
      const float scale = 1.0F / std::sqrt(mean + eps);
      float* to = out + std::size_t{t} * width + from;
      for (std::uint32_t i = 0; i < part; ++i) to[i] = row[from + i] * scale * gains[i];
    }
  }
}

}  // namespace assay::ops
