// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The references on trial: G1 to G5. A gate that fails voids what rests on it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/audit/evidence.h"
#include "harness/audit/void_map.h"
#include "probes/trace/run_facts.h"
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

/// The fact in which a run on a GPU says what the driver counted on the link, or why nobody did.
inline constexpr std::string_view link_bytes_fact = "link bytes of the load";

/// G5: the copies that records show lie within what the driver's management library counted on the
/// link. None where a run is of no GPU; one that tried nothing, and says why, where there is no
/// count that tells.
std::optional<model::gate_line> gate_link_bytes(const evidence& from, const trace::run_facts& facts,
                                                void_map& voids);

}  // namespace assay::audit
