// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// nvbench --json and --jsonbin.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Gives the bytes of a sample file that the JSON names, or none where it cannot be read.
using sample_file_reader = std::function<std::optional<std::string>(const std::string& name)>;

/// One process. A row is a state on a device: benchmark, axis values, device. Its number is the
/// least cold GPU time, from the sample file where there is one and `open` can give it, else the
/// summary of the least, the median or the mean, in this order. A skipped state has failed, with
/// the reason that the file gives; so has one whose sample file does not have the size that the
/// JSON says.
result<model::sample_set> parse_nvbench(std::string_view text, std::string_view file,
                                        const sample_file_reader& open);

/// The same; sample files are looked for beside `file`.
result<model::sample_set> parse_nvbench_file(std::string_view text, std::string_view file,
                                             std::string_view metric);

/// Headerless little-endian float32; none where `count` of them are not what there is.
std::optional<std::vector<double>> float32_samples(std::string_view bytes, std::uint64_t count);

}  // namespace assay::ingest
