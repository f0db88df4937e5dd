// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A file of metrics, whichever of the known ways it was written in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ingest/exposition_log.h"
#include "reports/model/exposition.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

struct exposition_options {
  std::vector<log_pattern> patterns{};  ///< where there is one, the file is a log
  std::int64_t now_unix_ms = 0;         ///< what is stamped later than this is in the future
};

/// The snapshots of a file, in its order; at least one.
/// Errors: unusable_input, where the text is empty or is of no known form.
result<std::vector<model::exposition>> parse_exposition(std::string_view text,
                                                        std::string_view file,
                                                        const exposition_options& options);

/// The same, from the disk, or where the path is "-" from standard input. Errors: also where the
/// file cannot be read.
result<std::vector<model::exposition>> read_exposition(const std::string& path,
                                                       const exposition_options& options);

}  // namespace assay::ingest
