// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R18 DROPPED/INCOMPLETE: device records are missing, doubled or contradictory. Voids.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome incomplete(const evidence& from, void_map& voids);

}  // namespace assay::audit
