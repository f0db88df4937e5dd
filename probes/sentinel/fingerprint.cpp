// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/sentinel/fingerprint.h"

#include <atomic>

#include "runtime/telemetry/clock.h"

namespace assay::probes {

namespace {

struct fingerprint_arguments {
  fingerprint_result* at;
  std::int64_t spin_ns;
};

void fingerprint_block(const fingerprint_arguments& arguments, device::block_context& context) {
  const std::atomic_ref<std::uint64_t> count(arguments.at->blocks_count);
  const std::uint64_t before = count.fetch_add(1, std::memory_order_acq_rel);
  if (before == 0) arguments.at->first_block_ns = host_now().ns;
  if (context.block == 0) {
    const host_time start = host_now();
    while (host_now() - start < arguments.spin_ns) {
    }
  }
  if (before == fingerprint_blocks - 1) arguments.at->last_block_ns = host_now().ns;
}

}  // namespace

device::kernel fingerprint(fingerprint_result* at, std::int64_t spin_ns) {
  return device::kernel::bind<fingerprint_arguments, fingerprint_block>(
      "sentinel fingerprint", {at, spin_ns}, fingerprint_blocks);
}

}  // namespace assay::probes
