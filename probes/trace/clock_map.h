// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From the device's clock to the host's, by the samples of a trace.
#pragma once

#include <cstdint>

#include "probes/trace/assay_trace.h"

namespace assay::trace {

/// Takes CLOCK_SAMPLE records; the latest usable one holds for what follows. Without one the two
/// clocks are taken for the same. A sample whose bracket holds the device's reading moves nothing.
class clock_map {
 public:
  /// A wider bracket says too little about where the device's reading fell.
  static constexpr std::int64_t widest_bracket_ns = 10'000;

  void take(const assay_record& sample);
  std::int64_t to_host_ns(std::int64_t device_ns) const;
  /// Half the widest bracket used: how far a mapped time may be off.
  std::int64_t error_ns() const { return error_ns_; }
  bool is_sampled() const { return is_sampled_; }

 private:
  std::int64_t offset_ns_ = 0;
  std::int64_t error_ns_ = 0;
  bool is_sampled_ = false;
};

}  // namespace assay::trace
