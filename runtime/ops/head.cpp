// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/head.h"

#include "runtime/ops/multiply.h"

namespace assay::ops {
namespace {

void head_body(const head_arguments& a, device::block_context& context) {
  rms_norm(a.gain, a.eps, a.x, a.positions, a.normed, context);
  multiply(a.head, {0, a.head.rows}, a.normed, a.positions, a.logits, into::store, context);
}

}  // namespace

device::kernel head(const head_arguments& arguments) {
  return device::kernel::bind<head_arguments, head_body>("head", arguments, 1);
}

}  // namespace assay::ops
