// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R24: a rate is what the counters that it is made of give.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome derived_mismatch(const evidence& from, void_map& voids);

}  // namespace assay::audit
