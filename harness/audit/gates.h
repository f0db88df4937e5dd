// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The references on trial: G1 to G4. A gate that fails voids what rests on it.
#pragma once

#include <vector>

#include "harness/audit/evidence.h"
#include "harness/audit/void_map.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

/// G1: work of a stream in order and without overlap, inside its event bracket and its window, at a
/// rate that its link can carry.
model::gate_line gate_inequalities(const evidence& from, void_map& voids);
/// G2: operations with a known answer show once and whole.
model::gate_line gate_sentinels(const evidence& from, void_map& voids);
/// G3: the device's clock lies to the host's within a bound. Voids through R17.
model::gate_line gate_clocks(const evidence& from);
/// G4: every call has its record and every record its call. Voids through R18.
model::gate_line gate_completeness(const evidence& from);

}  // namespace assay::audit
