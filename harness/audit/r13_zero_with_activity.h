// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R13 ZERO_WITH_ACTIVITY: a counter stays still while what it counts goes on.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome zero_with_activity(const evidence& from, void_map& voids);

}  // namespace assay::audit
