// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One operator that takes a planted share longer in each of its blocks. Linked before the room that
// has the honest one, so that nothing else of the program differs; with a share of 0 it is the same
// machine code but for a constant.
#include <chrono>

#define gated_mlp honest_gated_mlp
#include "runtime/ops/gated_mlp.cpp"
#undef gated_mlp

namespace assay::ops {
namespace {

// Read where it is used, so that the compiler makes the same code of every share.
const volatile int planted_percent = ASSAY_PLANTED_PERCENT;

void planted_body(const gated_mlp_arguments& a, device::block_context& context) {
  using clock = std::chrono::steady_clock;
  const clock::time_point begin = clock::now();
  gated_mlp_body(a, context);
  const clock::duration honest = clock::now() - begin;
  while (clock::now() - begin < honest + honest * planted_percent / 100) {
  }
}

}  // namespace

device::kernel gated_mlp(const gated_mlp_arguments& arguments) {
  return device::kernel::bind_prepared<gated_mlp_arguments, gated_mlp_prepare, planted_body>(
             "gated_mlp", arguments, blocks_of(arguments.gate_weight, arguments.tokens))
      .reading<gated_mlp_arguments, gated_mlp_reads>();
}

}  // namespace assay::ops
