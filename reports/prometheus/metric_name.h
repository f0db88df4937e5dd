// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a counter's name to a metric's: base units, the unit in the name, `_total` where it only
// grows. Pure.
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

/// How a counter is exposed.
struct metric_form {
  std::string name;       ///< fit for Prometheus: [a-zA-Z_:][a-zA-Z0-9_:]*
  std::string_view type;  ///< "counter" or "gauge"
  double divisor = 1.0;   ///< the value divided by this is in the metric's unit
};

/// `kind` and `unit` as the contract words them: "count", "duration", …; "ns", "bytes_per_s", ….
/// "runtime.kv.append_bytes", a count → "assay_runtime_kv_append_bytes_total", counter, 1;
/// "runtime.engine.ttft_ns" → "assay_runtime_engine_ttft_seconds_total", counter, 1e9. A name of a
/// foreign trace may hold anything: what a metric's name cannot hold becomes "_".
metric_form metric_of(std::string_view counter, std::string_view kind, std::string_view unit);

/// Text as the value of a label, quotes not included. Line breaks and quotes are escaped, bytes
/// below 0x20 become "?", bytes that are not UTF-8 U+FFFD.
std::string label_escaped(std::string_view text);

}  // namespace assay::reports
