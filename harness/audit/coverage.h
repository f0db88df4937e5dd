// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Device activity that no counter of the contract claims.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/audit/evidence.h"

namespace assay::audit {

struct coverage {
  std::vector<int> unclaimed;  ///< cells, the sentinels' left out
  std::uint64_t records = 0;   ///< of every cell, claimed or not
  std::int64_t device_ns = 0;
  std::int64_t unclaimed_ns = 0;
};

coverage coverage_of(const evidence& from);

}  // namespace assay::audit
