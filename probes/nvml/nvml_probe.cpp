// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/nvml/nvml_probe.h"

#include <string_view>
#include <utility>

namespace assay::probes {
namespace {

constexpr std::uint64_t hz_per_mhz = 1'000'000;
constexpr const char* sent_name = "PCIe bytes sent (field 197)";
constexpr const char* received_name = "PCIe bytes received (field 198)";

failure no_function(const char* name) {
  return ASSAY_FAIL(unavailable, std::string("NVML: this driver's library has no ") + name);
}

// A reading of one number through one call.
template <class Value, class Function, class... Arguments>
result<Value> ask(const nvml_library& library, const char* name, Function function,
                  Arguments... arguments) {
  if (function == nullptr) return no_function(name);
  Value value{};
  ASSAY_TRY(library.attempt(function(arguments..., &value), name));
  return value;
}

result<std::uint64_t> clock_hz(const nvml_library& library, nvml_device device,
                               std::int32_t which) {
  ASSAY_TRY_ASSIGN(const std::uint32_t mhz, ask<std::uint32_t>(library, "nvmlDeviceGetClockInfo",
                                                               library.clock_mhz, device, which));
  return mhz * hz_per_mhz;
}

result<nvml_counter> count_of(const nvml_field_value& field, const char* name) {
  switch (static_cast<nvml_value_type>(field.type)) {
    case nvml_value_type::u32:
      return nvml_counter{field.value_bits & 0xffffffffU, std::uint64_t{1} << 32};
    case nvml_value_type::unsigned_long:
    case nvml_value_type::u64:
      return nvml_counter{field.value_bits, 0};
    case nvml_value_type::i64:
      if (static_cast<std::int64_t>(field.value_bits) >= 0)
        return nvml_counter{field.value_bits, 0};
      break;
    case nvml_value_type::real:
      break;
  }
  return ASSAY_FAIL(unavailable, std::string("NVML: ") + name +
                                     " came as something that is no count: type " +
                                     std::to_string(field.type));
}

}  // namespace

result<std::unique_ptr<nvml_probe>> nvml_probe::open(const nvml_options& options) {
  ASSAY_TRY_ASSIGN(const nvml_library library, nvml_library::load(options.library));
  ASSAY_TRY(library.attempt(library.init(), "nvmlInit_v2"));
  // From here on: what was initialised is shut down.
  std::unique_ptr<nvml_probe> made(new nvml_probe(library));
  if (options.pci_bus_id.empty())
    ASSAY_TRY(library.attempt(library.device_by_index(0, &made->device_),
                              "nvmlDeviceGetHandleByIndex_v2(0)"));
  else
    ASSAY_TRY(
        library.attempt(library.device_by_bus_id(options.pci_bus_id.c_str(), &made->device_),
                        ("nvmlDeviceGetHandleByPciBusId_v2(" + options.pci_bus_id + ")").c_str()));
  return made;
}

nvml_probe::~nvml_probe() {
  static_cast<void>(library_.shutdown());
}

result<nvml_counter> nvml_probe::field(std::uint32_t id, const char* name) const {
  if (library_.field_values == nullptr) return no_function("nvmlDeviceGetFieldValues");
  nvml_field_value field;
  field.field = id;
  // Until it is written: a call that succeeds and leaves the field alone is no reading.
  field.code = nvml_not_supported;
  ASSAY_TRY(
      library_.attempt(library_.field_values(device_, 1, &field), "nvmlDeviceGetFieldValues"));
  ASSAY_TRY(library_.attempt(field.code, name));
  return count_of(field, name);
}

result<nvml_link_bytes> nvml_probe::link_bytes() const {
  nvml_link_bytes now;
  ASSAY_TRY_ASSIGN(now.sent, field(nvml_field_pcie_tx_bytes, sent_name));
  now.at = host_now();
  ASSAY_TRY_ASSIGN(now.received, field(nvml_field_pcie_rx_bytes, received_name));
  return now;
}

result<std::uint64_t> nvml_probe::sm_clock_hz() const {
  return clock_hz(library_, device_, nvml_clock_sm);
}

result<std::uint64_t> nvml_probe::memory_clock_hz() const {
  return clock_hz(library_, device_, nvml_clock_memory);
}

result<std::uint64_t> nvml_probe::throttle_mask() const {
  return ask<std::uint64_t>(library_, "nvmlDeviceGetCurrentClocksEventReasons",
                            library_.throttle_reasons, device_);
}

result<std::uint32_t> nvml_probe::temperature_celsius() const {
  return ask<std::uint32_t>(library_, "nvmlDeviceGetTemperature", library_.temperature, device_,
                            nvml_sensor_gpu);
}

result<std::uint32_t> nvml_probe::power_milliwatt() const {
  return ask<std::uint32_t>(library_, "nvmlDeviceGetPowerUsage", library_.power_milliwatt, device_);
}

result<std::uint64_t> nvml_probe::used_memory_bytes() const {
  ASSAY_TRY_ASSIGN(const nvml_memory memory,
                   ask<nvml_memory>(library_, "nvmlDeviceGetMemoryInfo", library_.memory, device_));
  return memory.used_bytes;
}

nvml_sample nvml_probe::sample() const {
  const auto number = [this](const char* name, auto function) {
    return ask<std::uint32_t>(library_, name, function, device_);
  };
  const host_time from = host_now();
  // The bytes first: what they are compared with was stamped just before.
  nvml_sample all{
      .from = from,
      .to = from,
      .pcie_tx_bytes = field(nvml_field_pcie_tx_bytes, sent_name),
      .pcie_rx_bytes = field(nvml_field_pcie_rx_bytes, received_name),
      .link_generation = number("nvmlDeviceGetCurrPcieLinkGeneration", library_.link_generation),
      .link_generation_max =
          number("nvmlDeviceGetMaxPcieLinkGeneration", library_.link_generation_max),
      .link_width = number("nvmlDeviceGetCurrPcieLinkWidth", library_.link_width),
      .link_width_max = number("nvmlDeviceGetMaxPcieLinkWidth", library_.link_width_max),
      .sm_clock_hz = sm_clock_hz(),
      .memory_clock_hz = memory_clock_hz(),
      .throttle_mask = throttle_mask(),
      .used_memory_bytes = used_memory_bytes(),
  };
  all.to = host_now();
  return all;
}

result<nvml_link> nvml_probe::link() const {
  nvml_link now;
  ASSAY_TRY_ASSIGN(now.generation,
                   ask<std::uint32_t>(library_, "nvmlDeviceGetCurrPcieLinkGeneration",
                                      library_.link_generation, device_));
  ASSAY_TRY_ASSIGN(now.width, ask<std::uint32_t>(library_, "nvmlDeviceGetCurrPcieLinkWidth",
                                                 library_.link_width, device_));
  return now;
}

result<std::string> nvml_probe::driver_version() const {
  if (library_.driver_version == nullptr) return no_function("nvmlSystemGetDriverVersion");
  char text[96] = {};
  ASSAY_TRY(library_.attempt(library_.driver_version(text, sizeof text - 1),
                             "nvmlSystemGetDriverVersion"));
  return std::string(text);
}

result<std::uint32_t> nvml_probe::gpu_count() const {
  return ask<std::uint32_t>(library_, "nvmlDeviceGetCount_v2", library_.device_count);
}

}  // namespace assay::probes
