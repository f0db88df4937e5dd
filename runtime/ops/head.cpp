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

}  // namespace

device::kernel head(const head_arguments& arguments) {
  return device::kernel::bind_prepared<head_arguments, head_prepare, head_body>(
      "head", arguments, blocks_of(arguments.head, arguments.positions));
}

}  // namespace assay::ops
