// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/projection.h"

#include <algorithm>

#include "runtime/ops/bias.h"
#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

void norm_qkv_prepare(const norm_qkv_arguments& a, device::block_context& context) {
  rms_norm(a.gain, a.eps, a.x, a.tokens, a.normed, context);
}

std::uint32_t rows_each(const norm_qkv_arguments& a) {
  return rows_a_block(a.q_weight.row_bytes(), a.q_weight.rows + a.k_weight.rows + a.v_weight.rows,
                      a.tokens);
}

// The three weights one below the other: a block takes rows that lie beside each other there, so a
// small model has one block and a large one no block that is smaller than the rest.
void norm_qkv_body(const norm_qkv_arguments& a, device::block_context& context) {
  const std::uint32_t each = rows_each(a);
  const std::uint32_t begin = context.block * each;
  std::uint32_t above = 0;
  const auto take = [&](const weight& w, const weight& bias, float* out) {
    const std::uint32_t from = std::max(begin, above);
    const std::uint32_t to = std::min(begin + each, above + w.rows);
    if (from < to) {
      const row_range rows{from - above, to - above};
      multiply(w, rows, a.normed, a.tokens, out, into::store, context);
      for (const row_range& taken : rows_taken(w, rows, a.tokens))
        add_bias(bias, taken, a.tokens, out, context);
    }
    above += w.rows;
  };
  take(a.q_weight, a.q_bias, a.q);
  take(a.k_weight, a.k_bias, a.k);
  take(a.v_weight, a.v_bias, a.v);
}

void project_add_body(const project_add_arguments& a, device::block_context& context) {
  multiply(a.w, rows_at(a.w, context.block, a.tokens), a.input, a.tokens, a.residual, into::add,
           context);
}

device::first_reads norm_qkv_reads(const norm_qkv_arguments& a, std::uint32_t block) {
  if (a.tokens > 1) return {};
  const std::uint32_t each = rows_each(a);
  std::uint32_t begin = block * each;
  for (const weight* w : {&a.q_weight, &a.k_weight, &a.v_weight}) {
    if (begin < w->rows) return reads_of(*w, {begin, std::min(begin + each, w->rows)});
    begin -= w->rows;
  }
  return {};
}

device::first_reads project_add_reads(const project_add_arguments& a, std::uint32_t block) {
  if (a.tokens > 1) return {};
  return reads_of(a.w, rows_at(a.w, block, 1));
}

}  // namespace

device::kernel norm_qkv(const norm_qkv_arguments& arguments) {
  const std::uint32_t each = rows_each(arguments);
  const std::uint32_t rows =
      arguments.q_weight.rows + arguments.k_weight.rows + arguments.v_weight.rows;
  return device::kernel::bind_prepared<norm_qkv_arguments, norm_qkv_prepare, norm_qkv_body>(
             "norm_qkv", arguments, (rows + each - 1) / each)
      .reading<norm_qkv_arguments, norm_qkv_reads>();
}

device::kernel project_add(std::string_view name, const project_add_arguments& arguments) {
  return device::kernel::bind<project_add_arguments, project_add_body>(
             name, arguments, blocks_of(arguments.w, arguments.tokens))
      .reading<project_add_arguments, project_add_reads>();
}

}  // namespace assay::ops
