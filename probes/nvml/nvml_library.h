// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// NVML, as the driver brings it.
#pragma once

#include <cstdint>

#include "probes/nvml/nvml_abi.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

inline constexpr const char* nvml_library_name = "libnvidia-ml.so.1";

/// NVML's calls. Never unloaded. The first five are there; each of the others is null where this
/// driver has none: its reading is then absent, and the rest goes on.
struct nvml_library {
  nvml_code (*init)() = nullptr;
  nvml_code (*shutdown)() = nullptr;
  const char* (*error_string)(nvml_code) = nullptr;
  nvml_code (*device_by_index)(std::uint32_t, nvml_device*) = nullptr;
  nvml_code (*device_by_bus_id)(const char*, nvml_device*) = nullptr;

  nvml_code (*device_count)(std::uint32_t*) = nullptr;
  nvml_code (*driver_version)(char*, std::uint32_t) = nullptr;
  nvml_code (*field_values)(nvml_device, std::int32_t, nvml_field_value*) = nullptr;
  nvml_code (*link_generation)(nvml_device, std::uint32_t*) = nullptr;
  nvml_code (*link_generation_max)(nvml_device, std::uint32_t*) = nullptr;
  nvml_code (*link_width)(nvml_device, std::uint32_t*) = nullptr;
  nvml_code (*link_width_max)(nvml_device, std::uint32_t*) = nullptr;
  nvml_code (*clock_mhz)(nvml_device, std::int32_t, std::uint32_t*) = nullptr;
  nvml_code (*throttle_reasons)(nvml_device, std::uint64_t*) = nullptr;
  nvml_code (*memory)(nvml_device, nvml_memory*) = nullptr;
  nvml_code (*temperature)(nvml_device, std::int32_t, std::uint32_t*) = nullptr;
  nvml_code (*power_milliwatt)(nvml_device, std::uint32_t*) = nullptr;

  /// Errors: unavailable: no such library, or one of the first five is missing in it.
  static result<nvml_library> load(const char* file_name = nvml_library_name);

  /// A call's failure as an error: its name, NVML's sentence, the code. Errors: unavailable.
  result<void> attempt(nvml_code code, const char* call) const;
};

}  // namespace assay::probes
