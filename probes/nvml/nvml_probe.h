// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the driver's management library says of a GPU: its link, clocks, memory, and bytes that
// crossed the link, whoever moved them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "probes/nvml/nvml_counter.h"
#include "probes/nvml/nvml_library.h"
#include "probes/trace/condition.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

struct nvml_options {
  /// As cudaDeviceGetPCIBusId gives it: NVML counts GPUs that CUDA_VISIBLE_DEVICES hides. Empty:
  /// the first one that NVML has.
  std::string pci_bus_id{};
  const char* library = nvml_library_name;
};

/// Everything of one moment. What could not be read is an error of kind unavailable, never 0.
struct nvml_sample {
  host_time from;                      ///< before the first call
  host_time to;                        ///< after the last
  result<nvml_counter> pcie_tx_bytes;  ///< sent by the GPU: what d2h copies move
  result<nvml_counter> pcie_rx_bytes;  ///< received by it: what h2d copies move
  result<std::uint32_t> link_generation;
  result<std::uint32_t> link_generation_max;  ///< of the GPU in this slot
  result<std::uint32_t> link_width;           ///< lanes
  result<std::uint32_t> link_width_max;
  result<std::uint64_t> sm_clock_hz;
  result<std::uint64_t> memory_clock_hz;
  result<std::uint64_t> throttle_mask;  ///< throttle_words() reads it
  result<std::uint64_t> used_memory_bytes;
};

/// What holds the clocks down, in words.
inline std::string throttle_words(std::uint64_t mask) {
  return trace::clock_event_words(mask);
}

/// A link in an idle GPU trains down: generation and width mean something only while bytes move.
struct nvml_link {
  std::uint32_t generation = 0;
  std::uint32_t width = 0;  ///< lanes
};

/// What crossed the link since the driver was loaded, to and from the GPU.
struct nvml_link_bytes {
  host_time at;  ///< between the two reads
  nvml_counter sent;
  nvml_counter received;
};

/// Errors: open: unavailable, where the library, one of its first five functions, or the GPU is
/// missing. Threads: any, one at a time.
class nvml_probe {
 public:
  static result<std::unique_ptr<nvml_probe>> open(const nvml_options& options = {});
  ~nvml_probe();
  nvml_probe(const nvml_probe&) = delete;
  nvml_probe& operator=(const nvml_probe&) = delete;

  nvml_sample sample() const;
  /// The link as it is now: two calls of sample()'s.
  result<nvml_link> link() const;
  /// The two counts alone. Errors: unavailable, where this driver has none.
  result<nvml_link_bytes> link_bytes() const;
  // What changes while a GPU works, one call each. Errors: unavailable, each for itself.
  result<std::uint64_t> sm_clock_hz() const;
  result<std::uint64_t> memory_clock_hz() const;
  result<std::uint64_t> throttle_mask() const;
  result<std::uint32_t> temperature_celsius() const;
  result<std::uint32_t> power_milliwatt() const;
  result<std::uint64_t> used_memory_bytes() const;
  result<std::string> driver_version() const;
  /// GPUs that the driver has, hidden from CUDA or not.
  result<std::uint32_t> gpu_count() const;

 private:
  explicit nvml_probe(const nvml_library& library) : library_(library) {}

  result<nvml_counter> field(std::uint32_t id, const char* name) const;

  nvml_library library_;
  nvml_device device_ = nullptr;
};

}  // namespace assay::probes
