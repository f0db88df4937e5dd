// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R06: a time that adds up intervals which cover each other.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

/// Does this explain the counter better than a wrong duration does?
bool is_overlap_summed(const counter_evidence& counter);

rule_outcome overlap_double_count(const evidence& from, void_map& voids);

}  // namespace assay::audit
