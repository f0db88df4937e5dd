// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What state the machine is in, as far as its kernel says: clocks, throttling, load, pressure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "probes/trace/condition.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Reads one condition, in its unit.
using condition_reader = std::function<result<std::int64_t>()>;

/// Samples conditions; of those that never could be read, it keeps why.
/// Threads: one at a time.
class condition_probe {
 public:
  /// Of nothing yet.
  condition_probe() = default;
  /// Of the host's kernel. `proc` and `sys` are for tests: folders that look like these.
  /// Descriptors: up to one a core that the process may use, and a handful.
  static condition_probe of_host(const std::string& proc = "/proc",
                                 const std::string& sys = "/sys");

  void add(assay_condition which, condition_reader read);

  /// Writes an ASSAY_CONDITION a condition that can be read now. Errors: the sink's alone.
  /// Overhead: two system calls a condition; docs/evidence/observer-cost-audit-2026-12-03.md.
  result<void> sample(trace::sink& to);

  /// Those that no sample() has seen, and what the last one was told in its place.
  std::vector<trace::absent_condition> absent() const;

 private:
  struct source {
    assay_condition which;
    condition_reader read;
    bool is_seen = false;
    std::string reason{};
  };
  std::vector<source> sources_;
};

}  // namespace assay::probes
