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
  const std::atomic_ref<std::uint64_t> begun(arguments.at->begun_count);
  if (begun.fetch_add(1, std::memory_order_acq_rel) == 0)
    arguments.at->first_block_ns = host_now().ns;
  if (context.block == 0) {
    const host_time start = host_now();
    while (host_now() - start < arguments.spin_ns) {
    }
  }
  // Counted where it ends: while one thread spins in block 0, others run all the rest.
  const std::atomic_ref<std::uint64_t> ended(arguments.at->blocks_count);
  if (ended.fetch_add(1, std::memory_order_acq_rel) == fingerprint_blocks - 1)
    arguments.at->last_block_ns = host_now().ns;
}

}  // namespace

device::kernel fingerprint(fingerprint_result* at, std::int64_t spin_ns) {
  return device::kernel::bind<fingerprint_arguments, fingerprint_block>(
      "sentinel fingerprint", {at, spin_ns}, fingerprint_blocks);
}

}  // namespace assay::probes
