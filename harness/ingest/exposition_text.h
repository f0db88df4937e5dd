// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Metrics in the text formats of Prometheus 0.0.4 and OpenMetrics 1.0.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reports/model/exposition.h"

namespace assay::ingest {

/// Whether the text opens like one of the two.
bool is_exposition_text(std::string_view start);

/// One snapshot, or several where "# EOF" parts them. A line that is none of the format is skipped
/// and stands among the problems with its number; nothing else is lost. A second sample of one
/// series is skipped: the first stays. A time later than `now_unix_ms` by more than five minutes is
/// a problem and is kept.
/// Units: as published; times of OpenMetrics come in seconds and leave in ms. Errors: none. Pure.
std::vector<model::exposition> parse_exposition_text(std::string_view text, std::string_view file,
                                                     std::int64_t now_unix_ms);

}  // namespace assay::ingest
