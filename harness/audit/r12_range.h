// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R12: a reading that cannot be a measurement of this quantity.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome range_fault_rule(const evidence& from, void_map& voids);

}  // namespace assay::audit
