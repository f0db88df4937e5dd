// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What becomes of the trace of a run that did not reach its end.
#pragma once

#include <string>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// A trace that holds a part of a run is kept, and the error's line says where; one whose run never
/// began is taken away. `was_named`: by the caller; else it goes with its file, and the line names
/// the flag that keeps it. What could not be written stays as it is.
error end_of_trace(error why, const std::string& path, bool was_named);

}  // namespace assay::cli
