// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R09: shares of one whole come to one.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome ratio_sum(const evidence& from, void_map& voids);

}  // namespace assay::audit
