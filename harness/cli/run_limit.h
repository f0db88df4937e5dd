// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The limit on memory of an audited run, as the runtime is given it and the ledger reckons with it.
#pragma once

#include <optional>

#include "harness/cli/audited_run.h"
#include "harness/cli/run_backend.h"
#include "runtime/telemetry/result.h"
#include "scenarios/paging_ledger.h"

namespace assay::cli {

inline bool is_limited(const run_options& options) {
  return options.vram_limit || options.is_half_streamed;
}

/// Of a run that is limited. Errors: the backend's; as scenarios::read_model_shape.
result<scenarios::limit_shape> limit_of(const run_options& options, run_backend& backend);

/// What the ledger makes of it. Errors: internal: no room for a step, where the runtime has loaded.
result<scenarios::paging_shape> paging_under(const scenarios::limit_shape& limit,
                                             const run_options& options, const run_backend& backend,
                                             const scenarios::model_shape& model,
                                             const scenarios::cache_shape& cache);

}  // namespace assay::cli
