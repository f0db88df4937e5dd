// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/nvml/nvml_library.h"

#include <dlfcn.h>

#include <string>

namespace assay::probes {
namespace {

struct symbol_finder {
  void* library;
  std::string missing;

  /// By the first of the names that is there.
  template <class Function>
  bool find(Function& into, const char* name, const char* older_name = nullptr) {
    into = reinterpret_cast<Function>(dlsym(library, name));
    if (into == nullptr && older_name != nullptr)
      into = reinterpret_cast<Function>(dlsym(library, older_name));
    return into != nullptr;
  }

  template <class Function>
  void need(Function& into, const char* name) {
    if (!find(into, name) && missing.empty()) missing = name;
  }
};

}  // namespace

result<nvml_library> nvml_library::load(const char* file_name) {
  void* handle = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return ASSAY_FAIL(unavailable, std::string("NVML: ") + file_name +
                                       " was not found; it comes with the NVIDIA driver");
  nvml_library found;
  symbol_finder look{handle, {}};
  look.need(found.init, "nvmlInit_v2");
  look.need(found.shutdown, "nvmlShutdown");
  look.need(found.error_string, "nvmlErrorString");
  look.need(found.device_by_index, "nvmlDeviceGetHandleByIndex_v2");
  look.need(found.device_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  if (!look.missing.empty())
    return ASSAY_FAIL(unavailable, std::string("NVML: ") + file_name + " has no " + look.missing +
                                       "; install driver 580 or later");
  look.find(found.device_count, "nvmlDeviceGetCount_v2");
  look.find(found.driver_version, "nvmlSystemGetDriverVersion");
  look.find(found.field_values, "nvmlDeviceGetFieldValues");
  look.find(found.link_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  look.find(found.link_generation_max, "nvmlDeviceGetMaxPcieLinkGeneration");
  look.find(found.link_width, "nvmlDeviceGetCurrPcieLinkWidth");
  look.find(found.link_width_max, "nvmlDeviceGetMaxPcieLinkWidth");
  look.find(found.clock_mhz, "nvmlDeviceGetClockInfo");
  look.find(found.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetCurrentClocksThrottleReasons");
  look.find(found.memory, "nvmlDeviceGetMemoryInfo");
  look.find(found.temperature, "nvmlDeviceGetTemperature");
  look.find(found.power_milliwatt, "nvmlDeviceGetPowerUsage");
  return found;
}

result<void> nvml_library::attempt(nvml_code code, const char* call) const {
  if (code == nvml_success) return {};
  const char* text = error_string(code);
  return ASSAY_FAIL(unavailable, std::string("NVML: ") + call + ": " +
                                     (text == nullptr ? "unknown error" : text) + " (" +
                                     std::to_string(code) + ")");
}

}  // namespace assay::probes
