// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What R08, R09 and R24 share: a formula that does not hold, as a finding.
#pragma once

#include <string_view>

#include "harness/audit/rule.h"

namespace assay::audit {

/// Is it broken, and by the quotient itself? A reading that is no measurement is R12's, and a part
/// that is wrong by itself is that part's finding.
bool is_broken_by_itself(const evidence& from, const formula_evidence& of);

/// Every formula of one shape. `cause` is what such a fault most often is.
rule_outcome formulas_of(const evidence& from, formula_shape shape, std::string_view rule,
                         std::string_view name, std::string_view cause);

}  // namespace assay::audit
