// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Criterion.rs's folder, target/criterion.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Whether a folder holds a …/new/ with a file of Criterion's.
/// Errors: unusable_input, naming a folder within that cannot be read.
result<bool> is_criterion_folder(const std::string& path);

/// One process: of each …/new/ the least time an iteration in sample.json, or the median of
/// estimates.json where there is no sample. One without estimates.json has failed. Folders are
/// cut-off names; the name of a row is full_id of benchmark.json. change/ holds ratios, no times,
/// and is not read.
result<model::sample_set> read_criterion(const std::string& path);

/// The parts, for one benchmark: the name, and ns.
result<std::string> criterion_name(std::string_view benchmark_json, std::string_view file);
result<double> criterion_median_ns(std::string_view estimates_json, std::string_view file);
result<double> criterion_least_ns(std::string_view sample_json, std::string_view file);

}  // namespace assay::ingest
