// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What can be measured on this machine, what only with doubts, and why the rest cannot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

enum class ability_state : std::uint8_t {
  yes,
  degraded,  ///< it can be had, and is worth less here than elsewhere; the detail says how
  no,
};

std::string_view to_string(ability_state state);

/// One line: what, whether it can be had, and the figure or the reason.
struct ability {
  std::string what;
  ability_state state = ability_state::no;
  std::string detail;
};

/// References and what disturbs them: the host device, clocks, the kernel's accounts, cores,
/// memory. Overhead: a millisecond.
std::vector<ability> examine_references();

/// Of a GPU: the device, CUPTI and who holds it, events, NVML, the link. Once a process, before
/// anything else of CUDA's. Overhead: where there is a GPU, a context.
std::vector<ability> examine_gpu();

/// Every link of the contract with its two ceilings, and every kind of arithmetic with its one, or
/// why it has none. After examine_gpu().
/// Overhead: 0.3 s, and a second more where there is a GPU.
std::vector<ability> examine_ceilings();

}  // namespace assay::cli
