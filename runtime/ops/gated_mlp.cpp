// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/gated_mlp.h"

#include "runtime/ops/exponential.h"
#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

void gated_mlp_body(const gated_mlp_arguments& a, device::block_context& context) {
  rms_norm(a.gain, a.eps, a.x, a.tokens, a.normed, context);
  const std::uint32_t rows = a.gate_weight.rows;
  multiply(a.gate_weight, {0, rows}, a.normed, a.tokens, a.gate, into::store, context);
  multiply(a.up_weight, {0, rows}, a.normed, a.tokens, a.up, into::store, context);
  silu_times(a.gate, a.up, std::size_t{a.tokens} * rows);
}

}  // namespace

device::kernel gated_mlp(const gated_mlp_arguments& arguments) {
  return device::kernel::bind<gated_mlp_arguments, gated_mlp_body>("gated_mlp", arguments, 1);
}

}  // namespace assay::ops
