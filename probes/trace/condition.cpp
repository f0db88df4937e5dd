// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/condition.h"

#include <algorithm>
#include <array>

namespace assay::trace {
namespace {

using enum condition_kind;

constexpr std::array rows{
    condition_row{ASSAY_CORE_CLOCK_TIMED, "core clock, timed", "hz", level, false},
    condition_row{ASSAY_CORE_CLOCK_CPUFREQ, "core clock, by cpufreq", "hz", level, false},
    condition_row{ASSAY_THERMAL_THROTTLES, "throttled by heat", "count", total, false},
    condition_row{ASSAY_GROUP_THROTTLES, "held back by the control group", "count", total, false},
    condition_row{ASSAY_GROUP_THROTTLED, "time held back by the control group", "ns", total, false},
    condition_row{ASSAY_STOLEN_TIME, "stolen by a hypervisor", "ns", total, false},
    condition_row{ASSAY_LOAD_AVERAGE, "load average over a minute", "milli", level, false},
    condition_row{ASSAY_RUNNABLE_THREADS, "runnable threads of the machine", "count", level, false},
    condition_row{ASSAY_ALLOWED_CORES, "cores that the process may use", "count", level, false},
    condition_row{ASSAY_LOST_CORES, "cores lost against its will", "count", total, false},
    condition_row{ASSAY_CORE_PRESSURE, "some task waited for a core", "ns", total, false},
    condition_row{ASSAY_MEMORY_PRESSURE, "some task waited for memory", "ns", total, false},
    condition_row{ASSAY_AVAILABLE_MEMORY, "memory available", "bytes", level, false},
    condition_row{ASSAY_MAJOR_FAULTS, "pages from a disk", "count", total, false},
    condition_row{ASSAY_SM_CLOCK, "SM clock", "hz", level, true},
    condition_row{ASSAY_GPU_MEMORY_CLOCK, "GPU memory clock", "hz", level, true},
    condition_row{ASSAY_CLOCK_EVENTS, "what held the GPU's clocks down", "bits", bits, true},
    condition_row{ASSAY_GPU_TEMPERATURE, "GPU temperature", "celsius", level, true},
    condition_row{ASSAY_GPU_POWER, "GPU power", "milliwatt", level, true},
    condition_row{ASSAY_LINK_GENERATION, "PCIe generation under load", "count", level, true},
    condition_row{ASSAY_LINK_WIDTH, "PCIe lanes under load", "count", level, true},
    condition_row{ASSAY_GPU_USED_MEMORY, "GPU memory in use", "bytes", level, true},
};

template <class Wanted>
std::optional<std::size_t> find(Wanted is_wanted) {
  const auto found = std::find_if(rows.begin(), rows.end(), is_wanted);
  if (found == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.begin());
}

}  // namespace

std::span<const condition_row> condition_rows() {
  return rows;
}

std::optional<std::size_t> condition_index(std::uint8_t op) {
  return find([op](const condition_row& row) { return row.id == op; });
}

std::optional<std::size_t> condition_index(std::string_view name) {
  return find([name](const condition_row& row) { return row.name == name; });
}

assay_record condition_record(assay_condition id, std::int64_t at_ns, std::int64_t amount) {
  assay_record record{};
  record.kind = ASSAY_CONDITION;
  record.op = static_cast<std::uint8_t>(id);
  record.start_ns = at_ns;
  record.amount = amount;
  return record;
}

std::string clock_event_words(std::uint64_t bits_set) {
  constexpr std::string_view words[] = {"idle",
                                        "application clocks",
                                        "power cap",
                                        "hardware slowdown",
                                        "sync boost",
                                        "thermal slowdown",
                                        "hardware thermal slowdown",
                                        "power brake",
                                        "display clocks"};
  std::string all;
  for (const std::string_view word : words) {
    if ((bits_set & 1) != 0) all += (all.empty() ? "" : ", ") + std::string(word);
    bits_set >>= 1;
  }
  if (bits_set != 0)
    all += (all.empty() ? "" : ", ") + std::string("a reason unknown to this program");
  return all.empty() ? "nothing" : all;
}

}  // namespace assay::trace
