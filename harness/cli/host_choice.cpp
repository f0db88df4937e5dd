// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/host_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/device/host_cores.h"
#include "runtime/device/host_pool.h"
#include "runtime/ops/isa.h"
#include "runtime/telemetry/knobs.h"

namespace assay::cli {

result<std::uint32_t> host_threads() {
  ASSAY_TRY_ASSIGN(const std::int64_t wanted,
                   telemetry::knob_value(telemetry::knob_id::host_threads));
  const std::int64_t most =
      std::min(device::usable_cores(), device::host_pool::helper_capacity + 1);
  return static_cast<std::uint32_t>(std::min(wanted, most));
}

result<void> use_host_isa() {
  ASSAY_TRY_ASSIGN(const std::int64_t wanted, telemetry::knob_value(telemetry::knob_id::host_isa));
  constexpr auto highest = static_cast<std::int64_t>(ops::isa::avx512);
  if (wanted > highest)
    return ASSAY_FAIL(usage, fmt::format("ASSAY_HOST_ISA={} is no instruction set; give 1 "
                                         "(portable), 2 (AVX2) or 3 (AVX-512)",
                                         wanted));
  ops::limit_isa(static_cast<ops::isa>(wanted));
  return {};
}

std::size_t host_vector_bytes() {
  switch (ops::isa_in_force()) {
    case ops::isa::portable:
      return 16;
    case ops::isa::avx2:
      return 32;
    case ops::isa::avx512:
      return 64;
  }
  return 16;
}

}  // namespace assay::cli
