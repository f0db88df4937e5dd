// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's files: --benchmark_out_format=json and csv.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// One process: repetitions become their best. Aggregates, complexity fits and their errors are
/// counted and left out, for they derive from rows that are here; of a benchmark that has nothing
/// but aggregates the median is taken, or the mean; of a fit alone there is no row. An errored or
/// skipped benchmark is a row with a failure: its times are 0 in the file. Keys that are not of the
/// format (counters, labels) are kept. `metric` is real_time, cpu_time or the name of a counter.
/// Errors: unusable_input, naming the file, the place and the reason.
/// Overhead: 100 MB in a figure that tests/campaigns measures; the text is read once, no tree.
result<model::sample_set> parse_google_benchmark(std::string_view text, std::string_view file,
                                                 std::string_view metric = "real_time");

/// The same from CSV; lines before the header are talk.
result<model::sample_set> parse_google_benchmark_csv(std::string_view text, std::string_view file,
                                                     std::string_view metric = "real_time");

}  // namespace assay::ingest
