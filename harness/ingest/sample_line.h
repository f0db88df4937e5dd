// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One line of an exposition: name{label="value",…} number time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::ingest {

struct sample_line {
  std::string name{};
  std::string labels{};  ///< sorted; values escaped as they were
  std::size_t label_count = 0;
  double value = 0.0;
  std::optional<double> time{};  ///< as written: ms in Prometheus' format, s in OpenMetrics
};

/// Why a line is none.
struct broken_line {
  std::string what;
};

/// Both dialects; an exemplar behind the number is looked over and left.
tl::expected<sample_line, broken_line> parse_sample_line(std::string_view line);

/// A name as both formats allow it without quotes.
bool is_metric_name(std::string_view name);

/// A number as expositions write it, such as 1e3, +Inf, NaN.
std::optional<double> exposition_number(std::string_view text);

}  // namespace assay::ingest
