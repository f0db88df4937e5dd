// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// hyperfine --export-json.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Each run of a command is a process. Without a list of runs the median stands for one. A command
/// of which a run ended otherwise than with exit status 0 has failed. The metric is always
/// wall_time; `metric` is not used.
result<model::sample_set> parse_hyperfine(std::string_view text, std::string_view file,
                                          std::string_view metric);

}  // namespace assay::ingest
