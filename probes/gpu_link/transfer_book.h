// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Measured transfers, and the ceilings that follow from them. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "probes/trace/run_facts.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/contract.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// What was moved in one go, with the time that the device or the host gave it.
struct gpu_transfer {
  assay_link link = ASSAY_LINK_PCIE;
  std::string_view way;  ///< "pinned h2d"; static storage
  std::uint64_t bytes = 0;
  std::int64_t took_ns = 0;  ///< between two events, or the host's span itself
  host_time released;        ///< before the device could begin
  host_time done;            ///< when the host knew that it had ended
  std::uint64_t working_set_bytes = 0;
};

/// HARD is what set_hard says, unless a transfer was faster: then the derivation is wrong here, and
/// nothing may rest on it. SOFT is 1.05 × the fastest transfer, and never above HARD.
/// Threads: one at a time.
class transfer_book {
 public:
  static constexpr std::int64_t least_transfer_ns = 1'000'000;
  static constexpr double soft_margin = 1.05;

  /// Books a transfer and gives its ASSAY_LINK_SAMPLE: it ends when the host knew, and is as long
  /// as it took. Errors: unavailable, where it was too short to be timed, or its events say that it
  /// took longer than the host's span around it: then one of the two clocks is wrong.
  result<assay_record> take(const gpu_transfer& moved);

  void set_hard(telemetry::link_class link, double bytes_per_s, std::string how);
  /// Says why a link has no bound, or was not measured at all.
  void set_no_hard(telemetry::link_class link, std::string why);
  void set_no_soft(telemetry::link_class link, std::string why);

  /// Of pcie, pcie_pageable, device_read and device_copy. A rate is 0 where nobody has it, and the
  /// reason says why.
  std::vector<trace::link_ceiling> ceilings() const;

 private:
  struct measured_way {
    std::string_view way;
    std::uint64_t working_set_bytes = 0;
    std::vector<double> rates;  ///< bytes a second; the first few thousand
  };
  struct measured_link {
    std::vector<measured_way> ways;
    double fastest_bytes_per_s = 0.0;
    std::uint64_t samples = 0;
    double hard_bytes_per_s = 0.0;
    std::string hard_words = "nobody was asked";
    std::string why_not = "nothing was sampled yet";
  };

  measured_link& of(telemetry::link_class link) { return links_[static_cast<std::size_t>(link)]; }
  trace::link_ceiling ceiling(telemetry::link_class link) const;

  std::array<measured_link, ASSAY_LINK_PCIE_PAGEABLE + 1> links_;
};

}  // namespace assay::probes
