// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/gpu_bus.h"

#include <array>

#include <cuda_runtime_api.h>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::cli {

result<std::string> pci_bus_id(int device) {
  std::array<char, 32> text{};
  ASSAY_CUDA_TRY(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device));
  return std::string(text.data());
}

result<probes::link_state> link_now(const probes::nvml_probe& nvml) {
  ASSAY_TRY_ASSIGN(const probes::nvml_link now, nvml.link());
  return probes::link_state{now.generation, now.width};
}

}  // namespace assay::cli
