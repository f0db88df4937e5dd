// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which launches may begin before the kernel ahead of them on the stream has ended, as their calls
// asked the driver for it.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_set>

#include <cupti.h>

namespace assay::probes {

/// Fed by CUPTI's callbacks with the arguments that reached the API, whoever passed them; the
/// driver's record of the kernel says nothing of it.
/// Threads: any. Overhead: a callback for each launch that has attributes at all.
class launch_edges {
 public:
  /// A call is entered. Others than launches with attributes, and those without a programmatic
  /// edge, are passed over; so is the driver's part of a call of the runtime, which has its own id.
  void on_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
               const CUpti_CallbackData& call) noexcept;

  /// Whether the call with this correlation id asked for a programmatic edge. Once a call.
  bool take(std::uint32_t correlation);

 private:
  std::mutex mutex_;  // guards open_
  std::unordered_set<std::uint32_t> open_;
};

}  // namespace assay::probes
