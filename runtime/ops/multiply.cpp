// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/multiply.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/ops/dot.h"
#include "runtime/ops/vector_kernels.h"

namespace assay::ops {
namespace {

constexpr std::uint32_t norm_columns = 1024;

row_run run_of(const weight& w, row_range rows, float* out) {
  if (rows.begin == rows.end) return {};
  return {w.row(rows.begin), rows.end - rows.begin, out + rows.begin};
}

void multiply_runs(const weight& any, const row_runs& runs, const float* x, into how,
                   device::block_context& context) {
  context.weight_bytes += any.row_bytes() * kernels_in_force().dot_rows(
                                                any.type, runs, x, any.columns, how == into::add);
}

// Four places of memory at a time keep more of its requests in flight than one, and the more so the
// farther they are apart. A product is the same whichever rows are beside it.
void multiply_one(const weight& w, row_range range, const float* x, float* out, into how,
                  device::block_context& context) {
  const std::array<row_range, 4> taken = rows_taken(w, range, 1);
  row_runs runs;
  for (std::uint32_t i = 0; i < 4; ++i) runs[i] = run_of(w, taken[i], out);
  multiply_runs(w, runs, x, how, context);
}

// Part of a weight: `rows` rows from `row`, `columns` columns from `column`.
struct window {
  std::uint32_t row;
  std::uint32_t rows;
  std::uint32_t column;
  std::uint32_t columns;
};

// A tile of tokens is multiplied with so many panels of weights while it is near: 128 KiB, which a
// second-level cache holds beside the tokens.
constexpr std::uint32_t panels_at_once = 4;
constexpr std::uint32_t rows_at_once = panels_at_once * panel_lanes;
using panels = std::array<weight_panel, panels_at_once>;

std::uint32_t lanes_of(const window& part, std::uint32_t panel) {
  const std::uint32_t before = panel * panel_lanes;
  return part.rows > before ? std::min(part.rows - before, panel_lanes) : 0;
}

void fill(panels& to, const weight& w, const window& part, device::block_context& context) {
  const std::uint64_t element = checkpoint::bytes_of(w.type);
  for (std::uint32_t p = 0; lanes_of(part, p) > 0; ++p) {
    const std::uint32_t lanes = lanes_of(part, p);
    kernels_in_force().fill_panel(w.type, w.row(part.row + p * panel_lanes) + part.column * element,
                                  w.row_bytes(), lanes, part.columns, to[p]);
    context.weight_bytes += lanes * part.columns * element;
    if (p + 1 == panels_at_once) break;
  }
}

// `count` taken in `parts` parts of as equal size as can be: where part number `part` begins.
std::uint32_t begin_of(std::uint32_t count, std::uint32_t part, std::uint32_t parts) {
  return static_cast<std::uint32_t>(std::uint64_t{count} * part / parts);
}

// Lines of memory that will be wanted soon.
struct lines_ahead {
  const std::byte* first = nullptr;
  std::size_t row_bytes = 0;  // from one row to the next
  std::uint32_t rows = 0;
  std::size_t bytes = 0;  // of each row

  // Asks for part number `part` of `parts`, into the second-level cache.
  void ask(std::uint32_t part, std::uint32_t parts) const {
    constexpr std::size_t line_bytes = 64;
    const std::uint32_t end = begin_of(rows, part + 1, parts);
    for (std::uint32_t row = begin_of(rows, part, parts); row < end; ++row)
      for (std::size_t at = 0; at < bytes; at += line_bytes)
        __builtin_prefetch(first + row * row_bytes + at, 0, 2);
  }
};

lines_ahead weights_ahead(const weight& w, const window& part) {
  const std::uint64_t element = checkpoint::bytes_of(w.type);
  return {w.row(part.row) + part.column * element, w.row_bytes(), part.rows,
          part.columns * element};
}

// A window's panels with all tokens, a tile of them at a time. Meanwhile the memory fetches the
// window after this one, a little beside each panel; it would begin with a wait otherwise.
void multiply_window(const panels& weights, const weight& w, const window& part,
                     const lines_ahead& next, const float* x, std::uint32_t tokens, float* out,
                     into how) {
  const vector_kernels& kernels = kernels_in_force();
  const std::uint32_t tiles = (tokens + tile_tokens - 1) / tile_tokens;
  const std::uint32_t live_panels = (part.rows + panel_lanes - 1) / panel_lanes;
  for (std::uint32_t i = 0; i < tiles; ++i) {
    const std::uint32_t token = begin_of(tokens, i, tiles);
    const std::uint32_t end = begin_of(tokens, i + 1, tiles);
    const float* from = x + std::size_t{token} * w.columns + part.column;
    for (std::uint32_t p = 0; p < live_panels; ++p) {
      next.ask(i * live_panels + p, tiles * live_panels);
      float* to = out + std::size_t{token} * w.rows + part.row + p * panel_lanes;
      kernels.multiply_panel(
          weights[p], {from, w.columns}, part.columns,
          {to, w.rows, end - token, lanes_of(part, p), how == into::add || part.column > 0});
    }
  }
}

// The windows of a range in the order in which they are taken.
class windows {
 public:
  windows(const weight& w, row_range range) : w_(w), range_(range), row_(range.begin) {}

  bool is_over() const { return row_ >= range_.end; }
  window take() {
    const window taken{row_, std::min(rows_at_once, range_.end - row_), column_,
                       std::min(panel_columns, w_.columns - column_)};
    column_ += panel_columns;
    if (column_ >= w_.columns) {
      column_ = 0;
      row_ += rows_at_once;
    }
    return taken;
  }

 private:
  const weight& w_;
  row_range range_;
  std::uint32_t row_;
  std::uint32_t column_ = 0;
};

void multiply_many(const weight& w, row_range range, const float* x, std::uint32_t tokens,
                   float* out, into how, device::block_context& context) {
  panels widened;
  windows all(w, range);
  while (!all.is_over()) {
    const window part = all.take();
    fill(widened, w, part, context);
    windows rest = all;
    const lines_ahead next = rest.is_over() ? lines_ahead{} : weights_ahead(w, rest.take());
    multiply_window(widened, w, part, next, x, tokens, out, how);
  }
}

}  // namespace

row_range rows_of_block(std::uint32_t total, const device::block_context& context) {
  const std::uint32_t each = (total + context.blocks - 1) / context.blocks;
  const std::uint32_t begin = std::min(total, context.block * each);
  return {begin, std::min(total, begin + each)};
}

std::uint32_t rows_a_block(std::uint64_t row_bytes, std::uint32_t rows, std::uint32_t tokens) {
  constexpr std::uint64_t least_bytes = 128 * 1024;
  const std::uint64_t least_rows = (least_bytes + row_bytes - 1) / row_bytes;
  const auto by_bytes =
      static_cast<std::uint32_t>((least_rows + panel_lanes - 1) / panel_lanes * panel_lanes);
  if (tokens == 1) return by_bytes;
  constexpr std::uint32_t least_blocks = 16;
  std::uint32_t by_tokens = rows_at_once;
  while (by_tokens > panel_lanes && rows / by_tokens < least_blocks) by_tokens /= 2;
  return std::max(by_bytes, by_tokens);
}

std::uint32_t blocks_of(const weight& w, std::uint32_t tokens) {
  const std::uint32_t each = rows_a_block(w.row_bytes(), w.rows, tokens);
  return (w.rows + each - 1) / each;
}

row_range rows_at(const weight& w, std::uint32_t index, std::uint32_t tokens) {
  const std::uint32_t each = rows_a_block(w.row_bytes(), w.rows, tokens);
  const std::uint32_t begin = std::min(w.rows, index * each);
  return {begin, std::min(w.rows, begin + each)};
}

// Row number v of one token's order is row v / parts of part v % parts; the last parts may be
// short.
std::array<row_range, 4> rows_taken(const weight& w, row_range range, std::uint32_t tokens,
                                    std::uint32_t weights) {
  if (tokens > 1) return {range, {}, {}, {}};
  const std::uint32_t parts = 4 / weights;
  const std::uint32_t part = (w.rows + parts - 1) / parts;
  const std::uint32_t end = range.end == w.rows ? parts * part : range.end;
  std::array<row_range, 4> taken;
  for (std::uint32_t i = 0; i < parts; ++i)
    taken[i] = {std::min(w.rows, i * part + (range.begin + parts - 1 - i) / parts),
                std::min(w.rows, i * part + (end + parts - 1 - i) / parts)};
  return taken;
}

device::first_reads reads_of(const weight& w, row_range range, std::uint32_t weights) {
  constexpr auto capacity = static_cast<std::uint32_t>(device::first_reads::capacity);
  const std::uint32_t parts = capacity / weights;
  const std::array<row_range, 4> taken = rows_taken(w, range, 1, weights);
  device::first_reads reads;
  for (std::uint32_t i = 0; i < parts; ++i) reads.places[i] = w.row(taken[i].begin);
  reads.bytes = w.bytes() / parts - taken[0].begin * w.row_bytes();
  return reads;
}

void multiply(const weight& w, row_range range, const float* x, std::uint32_t tokens, float* out,
              into how, device::block_context& context) {
  if (tokens == 1) return multiply_one(w, range, x, out, how, context);
  multiply_many(w, range, x, tokens, out, how, context);
}

void multiply_pair(const weight_pair& pair, row_range range, const float* x, std::uint32_t tokens,
                   device::block_context& context) {
  if (tokens > 1) {
    multiply_many(pair.first, range, x, tokens, pair.first_out, into::store, context);
    multiply_many(pair.second, range, x, tokens, pair.second_out, into::store, context);
    return;
  }
  const std::array<row_range, 4> taken = rows_taken(pair.first, range, 1, 2);
  const auto first = [&](std::uint32_t i) { return run_of(pair.first, taken[i], pair.first_out); };
  const auto second = [&](std::uint32_t i) {
    return run_of(pair.second, taken[i], pair.second_out);
  };
  if (pair.first.type != pair.second.type) {  // the loops read four runs as one type
    multiply_runs(pair.first, {first(0), first(1)}, x, into::store, context);
    multiply_runs(pair.second, {second(0), second(1)}, x, into::store, context);
    return;
  }
  multiply_runs(pair.first, {first(0), first(1), second(0), second(1)}, x, into::store, context);
}

namespace {

ASSAY_CLONES void scale_all(float* __restrict values, std::uint32_t count, float scale,
                            const float* __restrict gains) {
  for (std::uint32_t i = 0; i < count; ++i) values[i] = values[i] * scale * gains[i];
}

}  // namespace

void rms_norm(const weight& gain, float eps, const float* x, std::uint32_t tokens, float* out,
              device::block_context& context) {
  const std::uint32_t width = gain.columns;
  for (std::uint32_t from = 0; from < width; from += norm_columns) {
    std::array<float, norm_columns> gains;
    const std::uint32_t part = std::min(norm_columns, width - from);
    const std::uint64_t element = checkpoint::bytes_of(gain.type);
    widen(gain.type, gain.data + from * element, part, gains.data());
    context.weight_bytes += part * element;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const float* row = x + std::size_t{t} * width;
      const float mean = sum_of_squares(row, width) / static_cast<float>(width);
      float* to = out + std::size_t{t} * width + from;
      if (to != row + from) std::copy_n(row + from, part, to);
      scale_all(to, part, 1.0F / std::sqrt(mean + eps), gains.data());
    }
  }
}

}  // namespace assay::ops
