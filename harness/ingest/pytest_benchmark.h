// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// pytest --benchmark-json.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// One process: the least round, from stats.data where it was saved, else stats.min. A benchmark
/// that errored is not in such a file; only the other side shows that it is missing. The metric is
/// always seconds per iteration; `metric` is not used.
result<model::sample_set> parse_pytest_benchmark(std::string_view text, std::string_view file,
                                                 std::string_view metric);

}  // namespace assay::ingest
