// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Gate G3: how the device's clock lies to the host's, with an error bound.
#pragma once

#include <cstdint>

#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// A sample whose host reads lie further apart says too little about where the device read fell.
inline constexpr std::int64_t bracket_max_ns = 10'000;
/// Two oscillators of one machine drift less than this.
inline constexpr double drift_max_ppm = 50.0;

struct clock_evidence {
  std::uint64_t samples = 0;
  std::uint64_t rejected = 0;      ///< bracket too wide or backwards
  std::uint64_t steps = 0;         ///< samples that no drift within drift_max_ppm explains
  std::int64_t worst_step_ns = 0;  ///< beyond what drift and brackets explain
  std::int64_t bound_ns = 0;       ///< error of the offset: the widest used half bracket
  double drift_ppm = 0.0;          ///< last usable sample against the first
  std::uint64_t usable() const { return samples - rejected; }
};

/// Folds CLOCK_SAMPLE records. Maps device times by the latest usable offset.
class clock_fold {
 public:
  void take(const assay_record& record);
  /// The device time on the host's clock.
  std::int64_t to_host(std::int64_t device_ns) const;
  const clock_evidence& findings() const { return findings_; }

 private:
  clock_evidence findings_;
  std::int64_t offset_ns_ = 0;
  std::int64_t first_offset_ns_ = 0;
  std::int64_t first_at_ns_ = 0;
  std::int64_t first_bound_ns_ = 0;
};

}  // namespace assay::audit
