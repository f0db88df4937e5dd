// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a program published of itself at one moment, whichever way it was written down.
// harness/ingest reads it, harness/guard judges it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::model {

/// What an exposition says that a metric is. `unknown` where it says nothing.
/// A gauge_histogram is a histogram of what is there now (OpenMetrics' gaugehistogram): it may
/// fall.
enum class metric_kind : std::uint8_t {
  unknown,
  counter,
  gauge,
  histogram,
  gauge_histogram,
  summary,
  info
};

constexpr std::string_view to_string(metric_kind kind) {
  switch (kind) {
    case metric_kind::unknown:
      return "unknown";
    case metric_kind::counter:
      return "counter";
    case metric_kind::gauge:
      return "gauge";
    case metric_kind::histogram:
      return "histogram";
    case metric_kind::gauge_histogram:
      return "gaugehistogram";
    case metric_kind::summary:
      return "summary";
    case metric_kind::info:
      return "info";
  }
  return "?";
}

/// One number with its name. Identity: `name` and `labels`.
struct exposition_sample {
  std::string name{};
  std::string labels{};  ///< a="b",c="d", sorted by label, values escaped as they are written
  double value = 0.0;    ///< may be NaN or infinite, where the exposition says so
  std::optional<std::int64_t> unix_ms{};  ///< the time that the exposition gives, if any
  std::size_t line = 0;                   ///< counted from 1
};

/// What an exposition declares of one metric.
struct exposition_family {
  std::string name{};
  metric_kind kind = metric_kind::unknown;
  std::string help{};
  std::string unit{};    ///< of a UNIT line, as it is written
  std::size_t line = 0;  ///< of its declaration; 0 where it has none
};

/// A line that could not be taken as it stands.
struct exposition_problem {
  std::size_t line = 0;
  std::string what{};       ///< "is a second sample of …"
  bool is_skipped = false;  ///< nothing of the line was used
  bool is_loss = false;     ///< what followed is not there
  bool is_part = false;     ///< one value of the line was not used; the rest of it was
  std::string metric{};     ///< whose value that was
  std::size_t lines = 1;    ///< that it stands for, from `line` on
};

/// One snapshot.
struct exposition {
  std::string source{};  ///< the file, and the snapshot's number in it where it has several
  std::string format{};
  std::vector<exposition_family> families{};
  std::vector<exposition_sample> samples{};
  std::vector<exposition_problem> problems{};
  std::size_t line_count = 0;
};

}  // namespace assay::model
