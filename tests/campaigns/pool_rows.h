// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The fixed set of a hundred rows on which a comparison's errors and power are counted.
#pragma once

#include <string>

#include "scenarios/kernels/kernel_row.h"

namespace assay::campaigns {

/// Operators of the runtime whose calls take at most some 100 µs, filled up to a hundred with eight
/// small kernels in rising sizes: hash, sort, memcpy over 1 MiB (32 take longer
/// to fill than a process of the pool may last), chases through a second-level
/// cache and through pages, malloc, a system call, floating point. `planted_percent` of all calls
/// are made twice where is_planted() says so: real work, not a factor on a time.
scenarios::kernel_list pool_rows(unsigned planted_percent);

/// One row of five, by its name alone.
bool is_planted(const std::string& name);

}  // namespace assay::campaigns
