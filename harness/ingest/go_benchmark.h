// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What `go test -bench` prints.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// One process: the lines of -count become their best. Each unit of a line is a row of its own, so
/// `metric` is not used; benchmarks of two packages are two rows. Where the text says FAIL, the
/// benchmark that was running has failed.
result<model::sample_set> parse_go_benchmark(std::string_view text, std::string_view file,
                                             std::string_view metric);

}  // namespace assay::ingest
