// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/gpu_conditions.h"

#include <limits>

namespace assay::cli {
namespace {

using probes::nvml_probe;
using nvml_result = result<std::unique_ptr<nvml_probe>>;

template <class Value>
result<std::int64_t> as_count(const result<Value>& read) {
  if (!read) return failure(read.error());
  if (*read > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return ASSAY_FAIL(unavailable, "NVML: a reading that cannot be counted in");
  return static_cast<std::int64_t>(*read);
}

template <class Value>
probes::condition_reader by_nvml(const nvml_result& nvml,
                                 result<Value> (nvml_probe::*read)() const) {
  return [&nvml, read]() -> result<std::int64_t> {
    if (!nvml) return failure(nvml.error());
    return as_count(((**nvml).*read)());
  };
}

}  // namespace

void watch_gpu(probes::condition_probe& to, const nvml_result& nvml, const loaded_link& link) {
  to.add(ASSAY_SM_CLOCK, by_nvml(nvml, &nvml_probe::sm_clock_hz));
  to.add(ASSAY_GPU_MEMORY_CLOCK, by_nvml(nvml, &nvml_probe::memory_clock_hz));
  to.add(ASSAY_CLOCK_EVENTS, by_nvml(nvml, &nvml_probe::throttle_mask));
  to.add(ASSAY_GPU_TEMPERATURE, by_nvml(nvml, &nvml_probe::temperature_celsius));
  to.add(ASSAY_GPU_POWER, by_nvml(nvml, &nvml_probe::power_milliwatt));
  to.add(ASSAY_GPU_USED_MEMORY, by_nvml(nvml, &nvml_probe::used_memory_bytes));
  to.add(ASSAY_LINK_GENERATION, [link] {
    return link().map([](const auto& now) { return std::int64_t{now.generation}; });
  });
  to.add(ASSAY_LINK_WIDTH,
         [link] { return link().map([](const auto& now) { return std::int64_t{now.width}; }); });
}

}  // namespace assay::cli
