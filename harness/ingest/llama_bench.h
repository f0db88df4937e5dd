// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// llama-bench -o json and -o jsonl.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// One process: the least of samples_ns. A row's identity is every key but those of the build, the
/// machine, the time of the test and the results, so that a key of a later version tells rows apart
/// instead of folding them. The metric is tokens_per_s where `metric` says avg_ts, else the time.
result<model::sample_set> parse_llama_bench(std::string_view text, std::string_view file,
                                            std::string_view metric);

}  // namespace assay::ingest
