// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// BenchmarkDotNet's full JSON.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Each launch is a process: its least time an operation, from Measurements; without them
/// Statistics.OriginalValues are of one process. A benchmark without statistics has failed.
/// `metric` is not used.
result<model::sample_set> parse_benchmark_dot_net(std::string_view text, std::string_view file,
                                                  std::string_view metric);

}  // namespace assay::ingest
