// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/gpu_look.h"

#include <memory>
#include <utility>

#include <cuda_runtime_api.h>

#include "harness/cli/driver_look.h"
#include "harness/cli/gpu_bus.h"
#include "harness/cli/no_sink.h"
#include "probes/cuda_events/event_pair_probe.h"
#include "probes/cupti/cupti_probe.h"
#include "probes/gpu_link/gpu_arithmetic_probe.h"
#include "probes/gpu_link/gpu_link_probe.h"
#include "runtime/device/cuda/cuda_try.h"
#include "runtime/telemetry/clock.h"

namespace assay::cli {
namespace {

// The first may fall on a clock that still rises.
constexpr int arithmetic_samples = 3;

result<void> look_at_records() {
  ASSAY_TRY(probes::cupti_probe::open());
  return {};
}

result<gpu_facts> look_at_device() {
  gpu_facts seen;
  ASSAY_TRY_ASSIGN(seen.pci_bus_id, pci_bus_id(0));
  cudaDeviceProp properties{};
  ASSAY_CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
  seen.name = properties.name;
  ASSAY_CUDA_TRY(cudaSetDevice(0));
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSAY_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
  seen.free_bytes = free_bytes;
  seen.total_bytes = total_bytes;
  return seen;
}

// On the default stream, which nothing else uses here.
result<std::int64_t> look_at_events() {
  constexpr std::int64_t longest_wait_ns = 1'000'000'000;
  ASSAY_TRY_ASSIGN(auto events, probes::open_cuda_events(nullptr, 2));
  probes::event_pair_probe pairs(std::move(events), 1);
  ASSAY_TRY(pairs.begin(0));
  ASSAY_TRY(pairs.end());
  const host_time start = host_now();
  while (host_now() - start < longest_wait_ns) {
    ASSAY_TRY_ASSIGN(const auto spans, pairs.take());
    if (!spans.empty()) return spans.front().took_ns;
  }
  return ASSAY_FAIL(unavailable,
                    "CUDA events: two around nothing were not reached in a second; is the GPU at "
                    "work for somebody else?");
}

}  // namespace

gpu_look look_at_gpu() {
  if (const auto found = device::find_cuda_device(0); !found)
    return {failure(found.error()), look_at_driver({}), failure(found.error()),
            failure(found.error())};
  const auto at = pci_bus_id(0);
  auto driver = look_at_driver(at ? *at : std::string());
  auto records = look_at_records();
  auto seen = look_at_device();
  auto event_pair_ns = look_at_events();
  return {std::move(seen), std::move(driver), std::move(records), std::move(event_pair_ns)};
}

result<std::vector<trace::link_ceiling>> measured_gpu_ceilings() {
  ASSAY_TRY(device::find_cuda_device(0));
  ASSAY_TRY_ASSIGN(const std::string at, pci_bus_id(0));
  probes::gpu_link_options options;
  if (auto opened = probes::nvml_probe::open({.pci_bus_id = at})) {
    options.read_link = [nvml = std::shared_ptr(std::move(*opened))] { return link_now(*nvml); };
  }
  ASSAY_TRY_ASSIGN(const auto probe, probes::gpu_link_probe::create(options));
  no_sink nowhere;
  ASSAY_TRY(probe->calibrate(nowhere));
  return probe->ceilings();
}

result<std::vector<trace::arithmetic_ceiling>> measured_gpu_arithmetic() {
  ASSAY_TRY(device::find_cuda_device(0));
  ASSAY_TRY_ASSIGN(const auto probe, probes::gpu_arithmetic_probe::create(0));
  for (int i = 0; i < arithmetic_samples; ++i) ASSAY_TRY(probe->sample());
  return probe->ceilings();
}

}  // namespace assay::cli
