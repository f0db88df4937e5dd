// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What of two runs admits no noise: bytes, launches, counts, facts. Pure.
#pragma once

#include <string>
#include <vector>

#include "reports/model/investigation_difference.h"

namespace assay::attribution {

/// Passes, launches and bytes read by class, bytes and copies by transfer class, and each counter
/// of an amount. A subject that one side has not is there, with the reason. In the order of the
/// first.
std::vector<model::exact_difference> exact_differences(const model::investigation& first,
                                                       const model::investigation& second);

/// Whether both gave the same token ids; cannot_tell where a trace does not state them.
model::difference_verdict ids_difference(const model::audit_report& first,
                                         const model::audit_report& second);

/// Facts that the two state differently, or that one of them does not state.
std::vector<model::fact_difference> fact_differences(const model::audit_report& first,
                                                     const model::audit_report& second);

}  // namespace assay::attribution
