// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R15: device work that no counter accounts for.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome unclaimed_work(const evidence& from, void_map& voids);

}  // namespace assay::audit
