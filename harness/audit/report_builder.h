// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Evidence, verdicts and findings to the model that the reports render.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/evidence.h"
#include "harness/audit/rule.h"
#include "probes/trace/run_facts.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

/// Judges: gates, then the rules that void, then the others, then verdicts. `from` is changed only
/// by marking references void.
model::audit_report judge(evidence& from, const trace::run_facts& facts,
                          std::span<const rule> with);

}  // namespace assay::audit
