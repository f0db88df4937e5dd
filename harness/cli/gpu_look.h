// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What of a GPU can be measured here, part by part, or why a part cannot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/examination.h"
#include "probes/nvml/nvml_probe.h"
#include "probes/trace/run_facts.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

struct gpu_facts {
  std::string name;
  std::string pci_bus_id;
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// The driver's word, through NVML, which needs no CUDA and sees GPUs that are hidden from it.
struct gpu_driver_facts {
  result<std::string> version;
  result<std::uint32_t> gpu_count;
  probes::nvml_sample sample;
};

struct gpu_look {
  result<gpu_facts> device;                  ///< that CUDA shows
  result<gpu_driver_facts> driver;           ///< NVML
  result<void> records;                      ///< CUPTI: its own words where it is missing or taken
  result<std::int64_t> empty_event_pair_ns;  ///< what two events around nothing say
};

/// Looks, in the order that CUPTI wants: it comes before the first context. The probes of a run are
/// opened and closed again, so that a run cannot follow in the same process.
/// Overhead: a context, some 300 ms, where there is a GPU.
gpu_look look_at_gpu();

/// The links of a GPU. Errors: unavailable, out_of_memory, where there is no GPU to measure on.
result<std::vector<trace::link_ceiling>> measured_gpu_ceilings();

/// Each kind of arithmetic of a GPU. Errors: likewise.
result<std::vector<trace::arithmetic_ceiling>> measured_gpu_arithmetic();

/// The look in lines: what each part has, and what is worth less without it. Pure.
std::vector<ability> abilities_of(const gpu_look& look);

}  // namespace assay::cli
