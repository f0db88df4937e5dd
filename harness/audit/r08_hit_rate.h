// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R08 HIT_RATE: is a ratio the quotient that its contract says it is?
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

/// A rate of one thing published under the name of another's, such as hits of weights for hits of
/// bytes, shows here: the parts of both stand in the same snapshot.
rule_outcome hit_rate(const evidence& from, void_map& voids);

}  // namespace assay::audit
