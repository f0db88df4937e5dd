// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r09_ratio_sum.h"

#include "harness/audit/formula_finding.h"

namespace assay::audit {

rule_outcome ratio_sum(const evidence& from, void_map&) {
  return formulas_of(from, formula_shape::partition, "R09", "RATIO_SUM",
                     "a share that is counted twice, or one that is left out");
}

}  // namespace assay::audit
