// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R07: counters that their contract says must balance, and do not.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

/// Marks, for each equation that is broken and that no wrong member explains, the members that no
/// two references confirm: none of them may agree. A level is confirmed only in the windows in
/// which it was compared, so never by its references alone.
void doubt_unbalanced(evidence& from);

rule_outcome conservation(const evidence& from, void_map& voids);

}  // namespace assay::audit
