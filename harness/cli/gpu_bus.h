// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A GPU by the name that CUDA and the driver's management library share.
#pragma once

#include <memory>
#include <string>

#include "probes/gpu_link/gpu_link_probe.h"
#include "probes/nvml/nvml_probe.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// As cudaDeviceGetPCIBusId gives it. Errors: CUDA's.
result<std::string> pci_bus_id(int device);

/// Generation and width as NVML reads them now. The probe outlives what calls it.
result<probes::link_state> link_now(const probes::nvml_probe& nvml);

}  // namespace assay::cli
