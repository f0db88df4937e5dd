// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/gated_mlp.h"

#include "runtime/ops/exponential.h"
#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

void gated_mlp_prepare(const gated_mlp_arguments& a, device::block_context& context) {
  rms_norm(a.gain, a.eps, a.x, a.tokens, a.normed, context);
}

void gated_mlp_body(const gated_mlp_arguments& a, device::block_context& context) {
  const row_range range = rows_at(a.gate_weight, context.block, a.tokens);
  multiply_pair({a.gate_weight, a.up_weight, a.gate, a.up}, range, a.normed, a.tokens, context);
  for (const row_range& taken : rows_taken(a.gate_weight, range, a.tokens, 2))
    for (std::uint32_t t = 0; t < a.tokens; ++t) {
      const std::size_t at = std::size_t{t} * a.gate_weight.rows + taken.begin;
      silu_times(a.gate + at, a.up + at, taken.end - taken.begin);
    }
}

device::first_reads gated_mlp_reads(const gated_mlp_arguments& a, std::uint32_t block) {
  if (a.tokens > 1) return {};
  const row_range range = rows_at(a.gate_weight, block, 1);
  device::first_reads reads = reads_of(a.gate_weight, range, 2);
  const device::first_reads up = reads_of(a.up_weight, range, 2);
  reads.places[2] = up.places[0];
  reads.places[3] = up.places[1];
  return reads;
}

}  // namespace

device::kernel gated_mlp(const gated_mlp_arguments& arguments) {
  return device::kernel::bind_prepared<gated_mlp_arguments, gated_mlp_prepare, gated_mlp_body>(
             "gated_mlp", arguments, blocks_of(arguments.gate_weight, arguments.tokens))
      .reading<gated_mlp_arguments, gated_mlp_reads>();
}

}  // namespace assay::ops
