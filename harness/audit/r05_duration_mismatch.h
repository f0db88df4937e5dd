// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R05 DURATION_MISMATCH: a time or a rate differs from what was observed.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome duration_mismatch(const evidence& from, void_map& voids);

}  // namespace assay::audit
