// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An operator as a launch would run it: blocks on the caller's thread and on a pool's helpers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/device/host_pool.h"
#include "scenarios/kernels/kernel_row.h"
#include "scenarios/kernels/operands.h"

namespace assay::scenarios {

/// Operands and the kernel that is bound to them.
struct bound_kernel {
  std::vector<operand_memory> memory;
  device::kernel what;
};

/// Runs the kernel's blocks without a stream: no queue and no hand-over from another thread lies in
/// what is timed, only what host_pool itself does to share the blocks out.
std::unique_ptr<kernel_run> launched(bound_kernel bound, std::uint32_t threads);

/// How wide a row is: one thread, as many as the process has cores, or a number.
struct thread_choice {
  std::string name;
  std::uint32_t count = 1;
};

/// Adds the row once for one thread, for 8, and for all cores; what there are not enough cores for,
/// or would be one thread again, is skipped with the reason.
struct row_of_widths {
  std::string family;  ///< "matmul/bf16"
  std::string shape;   ///< "32x512x512"
  declared_work work;
  std::function<result<bound_kernel>()> bind;
};
void add_widths(const row_of_widths& row, std::uint32_t cores, kernel_list& to);
/// The same for one thread: what the runtime itself never runs on several.
void add_single(const row_of_widths& row, kernel_list& to);

}  // namespace assay::scenarios
