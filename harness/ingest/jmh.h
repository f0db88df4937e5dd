// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// JMH's -rf json.
#pragma once

#include <string_view>

#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Each fork is a process: its best iteration. The score's unit (ops/s, s/op) says which way is
/// better. Name: parameters, and threads where a file has several; else threads are environment, as
/// JDK and VM are. The mode is the metric; `metric` is not used.
result<model::sample_set> parse_jmh(std::string_view text, std::string_view file,
                                    std::string_view metric);

}  // namespace assay::ingest
