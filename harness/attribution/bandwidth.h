// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Every quotient of bytes and time that a trace holds, against what the link can carry.
#pragma once

#include <string>
#include <vector>

#include "harness/attribution/pass_fold.h"
#include "probes/trace/contract_row.h"
#include "reports/model/audit_report.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// A line a transfer class and one for what kernels read, by the device's records; then a line a
/// counter that claims a bandwidth: a duration paired with bytes, or a rate. What has no quotient
/// says why. The link of a class is the one that the contract's counters of that activity name.
std::vector<model::bandwidth_line> bandwidths_of(const std::vector<copy_total>& copies,
                                                 const read_total& reads,
                                                 const std::vector<trace::contract_row>& contract,
                                                 const model::audit_report& audit);

/// Fills quotient, ceilings and verdict of a line that has bytes, time and link. Without a ceiling,
/// bytes, or a time above 0 the verdict is unmeasured, and the reason says which.
void judge(model::bandwidth_line& line, const std::vector<model::ceiling_line>& ceilings);

}  // namespace assay::attribution
