// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The part of NVML's binary interface that the probe calls: the toolkit ships no header for it.
#pragma once

#include <cstdint>

namespace assay::probes {

using nvml_device = void*;
/// 0 is success.
using nvml_code = std::int32_t;

inline constexpr nvml_code nvml_success = 0;
inline constexpr nvml_code nvml_not_supported = 3;

// nvmlDeviceGetFieldValues. Bytes since the driver was loaded; "may wrap", NVIDIA says.
inline constexpr std::uint32_t nvml_field_pcie_tx_bytes = 197;
inline constexpr std::uint32_t nvml_field_pcie_rx_bytes = 198;

// nvmlDeviceGetClockInfo.
inline constexpr std::int32_t nvml_clock_sm = 1;
inline constexpr std::int32_t nvml_clock_memory = 2;

// nvmlDeviceGetTemperature.
inline constexpr std::int32_t nvml_sensor_gpu = 0;

/// What a field's value is. Others are no counts.
enum class nvml_value_type : std::int32_t {
  real = 0,
  u32 = 1,
  unsigned_long = 2,
  u64 = 3,
  i64 = 4,
};

struct nvml_field_value {
  std::uint32_t field = 0;
  std::uint32_t scope = 0;
  std::int64_t at_us = 0;  ///< since 1970
  std::int64_t took_us = 0;
  std::int32_t type = 0;         ///< nvml_value_type
  nvml_code code = 0;            ///< of this field alone
  std::uint64_t value_bits = 0;  ///< a union: the type says how many of them
};
static_assert(sizeof(nvml_field_value) == 40);

struct nvml_memory {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t used_bytes = 0;
};
static_assert(sizeof(nvml_memory) == 24);

}  // namespace assay::probes
