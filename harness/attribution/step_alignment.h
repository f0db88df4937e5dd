// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which decode step of one run is which of another. Pure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reports/model/investigation.h"

namespace assay::attribution {

using aligned_step = std::pair<const model::pass_line*, const model::pass_line*>;

struct step_alignment {
  std::vector<std::vector<aligned_step>> requests;  ///< those with an aligned step
  std::uint64_t aligned = 0;
  std::uint64_t other_work = 0;  ///< in the same place of aligned requests, but not the same work
  std::uint64_t one_sided = 0;
};

/// As difference_of has it. Lifetime: points into the two.
step_alignment aligned(const std::vector<model::pass_line>& first,
                       const std::vector<model::pass_line>& second);

}  // namespace assay::attribution
