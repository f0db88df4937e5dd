// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Ranges that name the steps of a run to whoever listens: Nsight Systems, or CUPTI.
#pragma once

#include <cstdint>
#include <string>

namespace assay::probes {

/// Nested ranges of the calling thread in a domain of their own. NVTX looks for a listener at its
/// first call in a process, in NVTX_INJECTION64_PATH: without one, calls do nothing.
/// Threads: any; a range ends on the thread that began it. Overhead: a call through a pointer where
/// nobody listens.
class nvtx_ranges {
 public:
  /// `domain` names it to the listener.
  explicit nvtx_ranges(const char* domain = "assay");
  ~nvtx_ranges();
  nvtx_ranges(const nvtx_ranges&) = delete;
  nvtx_ranges& operator=(const nvtx_ranges&) = delete;

  /// `payload`: of the step, its number.
  void push(const std::string& message, std::uint64_t payload) noexcept;
  void pop() noexcept;

 private:
  void* domain_;
};

}  // namespace assay::probes
