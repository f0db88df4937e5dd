// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A GPU as the driver's library tells of it, with or without CUDA.
#pragma once

#include <string>

#include "harness/cli/gpu_look.h"

namespace assay::cli {

/// Of the GPU at `pci_bus_id`, or the driver's first one where that is empty.
/// Errors: unavailable: no driver, no such GPU.
result<gpu_driver_facts> look_at_driver(const std::string& pci_bus_id);

}  // namespace assay::cli
