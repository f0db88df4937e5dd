// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/cli/gpu_look.h"

namespace assay::cli {
namespace {

std::string or_why(const result<std::string>& words) {
  return words ? *words : "unknown: " + words.error().message;
}

template <class T>
std::string number(const result<T>& reading) {
  return reading ? fmt::format("{}", *reading) : "?";
}

// CUDA counts what CUDA_VISIBLE_DEVICES leaves; the driver counts all.
ability device_line(const gpu_look& look) {
  if (look.device)
    return {"CUDA device", ability_state::yes,
            fmt::format("{} at {}, {} of {} bytes free", look.device->name, look.device->pci_bus_id,
                        look.device->free_bytes, look.device->total_bytes)};
  std::string detail = look.device.error().message;
  if (look.driver && look.driver->gpu_count && *look.driver->gpu_count > 0)
    detail += fmt::format("; NVML counts {} here", *look.driver->gpu_count);
  return {"CUDA device", ability_state::no, std::move(detail)};
}

ability records_line(const gpu_look& look) {
  if (look.records)
    return {"CUPTI records", ability_state::yes,
            "copies, kernels, graph nodes and calls; nobody else in this process holds CUPTI"};
  std::string detail = look.records.error().message;
  if (look.device)
    detail +=
        "; an audit goes on with events and host spans, and counters of GPU work are undecided";
  return {"CUPTI records", ability_state::no, std::move(detail)};
}

ability events_line(const gpu_look& look) {
  if (look.empty_event_pair_ns)
    return {"CUDA events", ability_state::yes,
            fmt::format("two around nothing lie {} ns apart; resolution about 500 ns",
                        *look.empty_event_pair_ns)};
  return {"CUDA events", ability_state::no,
          look.empty_event_pair_ns.error().message +
              "; without them device times have one reference less"};
}

ability driver_line(const gpu_look& look) {
  if (!look.driver)
    return {"NVML", ability_state::no,
            look.driver.error().message +
                "; without it pcie has no physical bound, and bytes that CUPTI cannot see stay "
                "unseen"};
  const gpu_driver_facts& driver = *look.driver;
  const probes::nvml_sample& now = driver.sample;
  return {"NVML", ability_state::yes,
          fmt::format("driver {}, SM {} Hz, memory {} Hz, held down by {}, {} bytes used",
                      or_why(driver.version), number(now.sm_clock_hz), number(now.memory_clock_hz),
                      now.throttle_mask ? probes::throttle_words(*now.throttle_mask)
                                        : now.throttle_mask.error().message,
                      number(now.used_memory_bytes))};
}

// Absent as a whole with NVML itself: its line says so once.
void add_parts_of_nvml(std::vector<ability>& all, const gpu_look& look) {
  if (!look.driver) return;
  const probes::nvml_sample& now = look.driver->sample;
  if (now.link_generation && now.link_width)
    all.push_back({"PCIe link", ability_state::yes,
                   fmt::format("generation {} of {}, {} of {} lanes; it trains down while idle, so "
                               "a bound is read while a copy runs",
                               *now.link_generation, number(now.link_generation_max),
                               *now.link_width, number(now.link_width_max))});
  else
    all.push_back(
        {"PCIe link", ability_state::degraded,
         (now.link_generation ? now.link_width.error() : now.link_generation.error()).message +
             "; pcie then has a measured bound and no physical one"});
  if (now.pcie_tx_bytes && now.pcie_rx_bytes)
    all.push_back({"PCIe byte counts", ability_state::yes,
                   fmt::format("sent {} bytes, received {} since the driver was loaded{}",
                               now.pcie_tx_bytes->value, now.pcie_rx_bytes->value,
                               now.pcie_rx_bytes->modulus == 0 ? "" : "; they wrap at 2^32")});
  else
    all.push_back(
        {"PCIe byte counts", ability_state::degraded,
         (now.pcie_tx_bytes ? now.pcie_rx_bytes.error() : now.pcie_tx_bytes.error()).message +
             "; traffic that CUPTI cannot see, zero-copy reads and other processes, "
             "stays unseen"});
}

}  // namespace

std::vector<ability> abilities_of(const gpu_look& look) {
  std::vector<ability> all{device_line(look), records_line(look), events_line(look),
                           driver_line(look)};
  add_parts_of_nvml(all, look);
  return all;
}

}  // namespace assay::cli
