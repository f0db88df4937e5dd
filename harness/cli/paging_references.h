// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What device records, the ledger and the harness's stamps say of weights under a limit. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/cli/references.h"

namespace assay::cli {

/// Of the window of the load. `seen.paging` is there.
void add_paged_load(std::vector<reference_value>& to, const load_evidence& seen);
/// Of a request's window; `steps_ns` are the harness's spans of its passes.
void add_paged_request(std::vector<reference_value>& to, const request_evidence& seen,
                       std::int64_t steps_ns);

}  // namespace assay::cli
