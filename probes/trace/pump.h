// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From a reader into a sink.
#pragma once

#include "probes/trace/sink.h"
#include "probes/trace/trace_reader.h"

namespace assay::trace {

/// Feeds every good block of `reader` to `into`, in the file's order, records without a copy where
/// the file aligns them. end() is called only where the trace is complete: look at the reader for
/// why it is not. Blocks of unknown types are passed over.
/// Errors: the reader's, and the first one that the sink returns.
result<void> pump(trace_reader& reader, sink& into);

}  // namespace assay::trace
