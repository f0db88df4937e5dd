// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a decode step launches, in order, by the ledger: names for launches that a trace only
// numbers, bytes for those of a GPU, which tell nothing that they read, and operations, which no
// launch tells. Nothing of the engine's is asked.
#pragma once

#include <vector>

#include "runtime/telemetry/planned_launch.h"
#include "scenarios/ledger.h"

namespace assay::scenarios {

using telemetry::planned_launch;

/// On the host device. The sum of its weights is pass_weight_bytes(model, 1).
std::vector<planned_launch> host_step_plan(const model_shape& model);

/// On a GPU, where kernels are fused: the first takes the embedding's row, attention the gains of
/// queries and keys. The same sum.
std::vector<planned_launch> gpu_step_plan(const model_shape& model);

}  // namespace assay::scenarios
