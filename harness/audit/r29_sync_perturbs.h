// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R29: a timer that does not block waits for the device within what it times. Waits of the work
// itself, which a counter of waits accounts for, are none of it.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome sync_perturbs(const evidence& from, void_map& voids);

}  // namespace assay::audit
