// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/driver_look.h"

namespace assay::cli {

result<gpu_driver_facts> look_at_driver(const std::string& pci_bus_id) {
  ASSAY_TRY_ASSIGN(const auto nvml, probes::nvml_probe::open({.pci_bus_id = pci_bus_id}));
  return gpu_driver_facts{nvml->driver_version(), nvml->gpu_count(), nvml->sample()};
}

}  // namespace assay::cli
