// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the links can carry: what the facts say, or what the run's own samples show.
#pragma once

#include <array>
#include <cstdint>

#include "probes/trace/assay_trace.h"
#include "runtime/telemetry/contract.h"

namespace assay::audit {

inline constexpr std::size_t link_classes = 7;  // none among them
/// SOFT = the best measured rate x this.
inline constexpr double soft_margin = 1.05;
/// Fewer samples than this make no ceiling: one disturbed copy would look like a slow link.
inline constexpr std::uint64_t soft_min_samples = 3;

struct ceiling {
  double soft_bytes_per_s = 0.0;  ///< 0: not measured
  double hard_bytes_per_s = 0.0;  ///< 0: unknown
  std::uint64_t samples = 0;
  /// That it was measured on; 0 where nobody says.
  std::int64_t working_set_bytes = 0;
};

/// Folds LINK_SAMPLE records; ceilings that the facts state take precedence over them.
class ceiling_book {
 public:
  void take(const assay_record& record);
  void state(telemetry::link_class link, const ceiling& stated);
  ceiling of(telemetry::link_class link) const;

 private:
  struct measured {
    double best_bytes_per_s = 0.0;
    std::uint64_t samples = 0;
    std::int64_t working_set_bytes = 0;
  };
  std::array<measured, link_classes> measured_{};
  std::array<ceiling, link_classes> stated_{};
};

}  // namespace assay::audit
