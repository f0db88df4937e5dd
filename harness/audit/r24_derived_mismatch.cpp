// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r24_derived_mismatch.h"

#include "harness/audit/formula_finding.h"

namespace assay::audit {

rule_outcome derived_mismatch(const evidence& from, void_map&) {
  return formulas_of(from, formula_shape::rate, "R24", "DERIVED_MISMATCH",
                     "parts of another window, or the wrong accumulator");
}

}  // namespace assay::audit
