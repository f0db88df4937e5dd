// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The times of a decode step that runs are compared by. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reports/model/investigation.h"

namespace assay::attribution {

/// One time of a step, as each run has it: runs number their classes of launches differently.
struct timed_row {
  std::string subject;
  bool is_launch = false;
  std::vector<std::function<std::int64_t(const model::pass_line&)>> of;  ///< by run
};

/// The step, its parts, its residual, and each class of launches that decode steps of all runs
/// have. What is left over beyond the classes is no operator, and no row. Lifetime: holds nothing
/// of the runs.
std::vector<timed_row> timed_rows(const std::vector<const model::investigation*>& runs);

/// The value in the middle; of an even number what lies between the two, since the lower alone
/// would lean one way. 0 where there are none. Sorts.
std::int64_t middle_of(std::vector<std::int64_t>& values);

/// A change within it is none: as the audit judges times, to 2 % or 2 us and no finer.
std::int64_t margin_of(std::int64_t first_ns);

}  // namespace assay::attribution
