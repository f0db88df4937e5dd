// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a driver's clock to the host's. Pure.
#pragma once

#include <cstdint>

namespace assay::probes {

/// One reading of the driver's clock between two of the host's.
/// Clocks: host is CLOCK_MONOTONIC, device is whatever stamps the driver's records.
struct clock_bracket {
  std::int64_t host_before_ns = 0;
  std::int64_t device_ns = 0;
  std::int64_t host_after_ns = 0;

  std::int64_t width_ns() const { return host_after_ns - host_before_ns; }
  /// Host time that the device's reading stands for: the middle, half the width to either side.
  std::int64_t host_ns() const { return host_before_ns + width_ns() / 2; }
};

/// A straight line through two brackets.
/// Before the first and after the second it goes on as between them. The clocks may drift; a clock
/// that was set in between shows as a rate that no oscillator has.
class clock_fit {
 public:
  clock_fit(const clock_bracket& first, const clock_bracket& second);

  std::int64_t to_host_ns(std::int64_t device_ns) const;
  /// Half the wider bracket: how far a converted time can be off, between the two.
  std::int64_t error_ns() const { return error_ns_; }
  /// Host seconds a device second, less one, in parts per million.
  double drift_ppm() const { return drift_ * 1e6; }
  /// Is the rate one that two running clocks can have, as far as the brackets' widths can tell? NTP
  /// slews by 500 ppm at most.
  bool is_plausible() const { return is_plausible_; }

 private:
  std::int64_t device_origin_ns_;
  std::int64_t host_origin_ns_;
  double drift_;
  std::int64_t error_ns_;
  bool is_plausible_;
};

}  // namespace assay::probes
