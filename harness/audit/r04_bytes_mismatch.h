// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R04 BYTES_MISMATCH: an amount differs from what was moved, run or held.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome bytes_mismatch(const evidence& from, void_map& voids);

}  // namespace assay::audit
