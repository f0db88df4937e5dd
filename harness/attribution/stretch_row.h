// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Values over time in bounded memory, without losing an extreme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/model/investigation.h"

namespace assay::attribution {

/// Stretches of equal numbers of values. Where there would be too many, two neighbours become one
/// that keeps the least and the most of both.
class stretch_row {
 public:
  static constexpr std::size_t max_stretches = 256;

  void add(std::int64_t at_ns, std::int64_t value);
  const std::vector<model::level_stretch>& stretches() const { return stretches_; }

 private:
  std::uint64_t values_a_stretch_ = 1;
  std::uint64_t values_in_last_ = 0;
  std::vector<model::level_stretch> stretches_;
};

}  // namespace assay::attribution
