// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How a reader refuses a file: which file, where in it, why, and what to do.
#pragma once

#include <string>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// "FILE: $.benchmarks[3].real_time: is a string; write it with --benchmark_format=json", fit for
/// one line: control characters of a foreign file become "?", and it is cut where it is long.
/// `where` may be empty.
failure refused(std::string_view file, std::string_view where, std::string_view reason,
                std::string_view fix);

/// Foreign text made fit for a message: control characters become "?", at most `most` bytes.
std::string printable(std::string_view text, std::size_t most = 80);

}  // namespace assay::ingest
