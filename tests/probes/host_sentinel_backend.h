// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The GPU sentinel's backend on the host device: a kernel that leaves what the GPU's leaves.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "probes/gpu_sentinel/gpu_sentinel_probe.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/clock.h"

namespace assay::test {

struct fingerprint_arguments {
  probes::gpu_fingerprint* at;
  std::int64_t spin_ns;
};

/// One thread runs all blocks: the device has one.
inline void leave_fingerprint(const fingerprint_arguments& to,
                              assay::device::block_context& context) {
  const std::int64_t start_ns = host_now().ns;
  to.at->first_ns = std::min(to.at->first_ns, start_ns);
  if (context.block == 0) {
    std::int64_t now_ns = start_ns;
    while (now_ns - start_ns < to.spin_ns) now_ns = host_now().ns;
    to.at->spun_ns = now_ns - start_ns;
  }
  to.at->last_ns = std::max(to.at->last_ns, host_now().ns);
  if (++to.at->blocks_count == probes::gpu_fingerprint_blocks) ++to.at->launches_count;
}

/// `spin_error_ns`, read at each launch, is added to what was asked for.
inline probes::gpu_sentinel_backend host_sentinel_backend(assay::device::device& on,
                                                          assay::device::stream stream,
                                                          const std::int64_t& spin_error_ns) {
  return {[&on, stream, &spin_error_ns](probes::gpu_fingerprint* at, std::int64_t spin_ns) {
            return on.launch(
                stream,
                assay::device::kernel::bind<fingerprint_arguments, leave_fingerprint>(
                    "fingerprint", {at, spin_ns + spin_error_ns}, probes::gpu_fingerprint_blocks));
          },
          [](std::uint64_t bytes) -> result<std::shared_ptr<std::byte>> {
            return std::shared_ptr<std::byte>(static_cast<std::byte*>(std::malloc(bytes)),
                                              std::free);
          }};
}

}  // namespace assay::test
