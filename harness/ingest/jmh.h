// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// JMH's -rf json.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Each fork is a process: its best iteration. Which way is better follows from the unit of the
/// score (ops/s or s/op); of a unit that is neither it is unknown. Parameters are part of the name,
/// the mode is the metric; `metric` is not used.
result<model::sample_set> parse_jmh(std::string_view text, std::string_view file,
                                    std::string_view metric);

}  // namespace assay::ingest
