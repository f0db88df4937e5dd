// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/projection.h"

#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

constexpr std::uint32_t rows_a_block = 64;

void norm_qkv_body(const norm_qkv_arguments& a, device::block_context& context) {
  rms_norm(a.gain, a.eps, a.x, a.tokens, a.normed, context);
  multiply(a.q_weight, {0, a.q_weight.rows}, a.normed, a.tokens, a.q, into::store, context);
  multiply(a.k_weight, {0, a.k_weight.rows}, a.normed, a.tokens, a.k, into::store, context);
  multiply(a.v_weight, {0, a.v_weight.rows}, a.normed, a.tokens, a.v, into::store, context);
}

void project_add_body(const project_add_arguments& a, device::block_context& context) {
  multiply(a.w, rows_of_block(a.w.rows, context), a.input, a.tokens, a.residual, into::add,
           context);
}

}  // namespace

device::kernel norm_qkv(const norm_qkv_arguments& arguments) {
  return device::kernel::bind<norm_qkv_arguments, norm_qkv_body>("norm_qkv", arguments, 1);
}

device::kernel project_add(std::string_view name, const project_add_arguments& arguments) {
  const std::uint32_t blocks = (arguments.w.rows + rows_a_block - 1) / rows_a_block;
  return device::kernel::bind<project_add_arguments, project_add_body>(name, arguments, blocks);
}

}  // namespace assay::ops
