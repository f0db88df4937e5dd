// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/head.h"

#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

void head_prepare(const head_arguments& a, device::block_context& context) {
  rms_norm(a.gain, a.eps, a.x, a.positions, a.normed, context);
}

void head_body(const head_arguments& a, device::block_context& context) {
  multiply(a.head, rows_at(a.head, context.block, a.positions), a.normed, a.positions, a.logits,
           into::store, context);
}

device::first_reads head_reads(const head_arguments& a, std::uint32_t block) {
  if (a.positions > 1) return {};
  return reads_of(a.head, rows_at(a.head, block, 1));
}

}  // namespace

device::kernel head(const head_arguments& arguments) {
  return device::kernel::bind_prepared<head_arguments, head_prepare, head_body>(
             "head", arguments, blocks_of(arguments.head, arguments.positions))
      .reading<head_arguments, head_reads>();
}

}  // namespace assay::ops
