// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel scenario. A new one is a function that adds its rows, and a line in kernels.cpp.
#pragma once

#include <cstdint>

#include "scenarios/kernels/kernel_row.h"

namespace assay::scenarios {

/// Rows for a process that may use `cores` cores. A row that asks for more threads is among the
/// skipped, with the reason.
kernel_list kernel_rows(std::uint32_t cores);

}  // namespace assay::scenarios
