// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R14 PHANTOM: a counter claims work of which there is none.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome phantom(const evidence& from, void_map& voids);

}  // namespace assay::audit
