// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From evidence and findings to the one word on a counter.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/audit/evidence.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

/// The references of a counter that stand: compared, not void, not contradicted. A reference is one
/// source that gives a value or both sides of a bracket. One side alone is none, but two sources
/// that give opposite sides make one together. Events beside device records
/// are no further one where the facts say that one observer made both.
std::vector<std::string> standing_references(const counter_evidence& counter);

struct decision {
  model::verdict verdict = model::verdict::unmeasured;
  std::string reason;
};

/// agree needs two standing references and nothing in doubt. A void or unclear reference makes it
/// undecided, whatever the others say.
decision decide(const counter_evidence& counter, std::span<const model::finding> findings);

}  // namespace assay::audit
