// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Times that no machine could have taken for what a kernel says that it did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"
#include "scenarios/kernels/kernel_row.h"

namespace assay::bench {

/// What one core cannot exceed.
struct core_ceiling {
  double bytes_per_s = 0.0;       ///< loaded and stored, together
  double operations_per_s = 0.0;  ///< of f32, a fused product and sum counted as two
};

/// 128 bytes loaded and 64 stored a cycle, and two fused multiply-adds of 16 lanes: no x86-64 core
/// does more (Intel from Skylake-SP to Granite Rapids, AMD Zen 5; all others less). Cycles a second
/// are counted, several times, and the largest count stands, 5 % added: a clock may rise.
/// Errors: unavailable on other machines.
result<core_ceiling> measured_ceiling();

/// One row as it was timed.
struct timed_kernel {
  std::string name;
  std::string family;
  scenarios::declared_work work;
  std::uint32_t threads = 1;
  double ns = 0.0;  ///< a call, in the best repetition
  std::uint64_t repetitions = 1;
};

/// A sentence where the row moved or computed more than its threads can; none where there is no
/// ceiling. Pure.
std::optional<std::string> above_ceiling(const timed_kernel& row,
                                         const std::optional<core_ceiling>& of_a_core);

/// Fewer repetitions say nothing of the order: an interruption may have hit all of a row's.
inline constexpr std::uint64_t fewest_repetitions = 3;

struct plausible_order {
  std::vector<std::string> complaints;
  std::string absence;  ///< why some rows were not asked; empty where all were
};

/// A complaint for each row that took less than nine tenths of the time of another of its family
/// which is at most half of its work. Pure.
plausible_order order_of(const std::vector<timed_kernel>& rows);

}  // namespace assay::bench
