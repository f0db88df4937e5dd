// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R02 IMPOSSIBLE_BANDWIDTH: bytes over time exceed what the link can carry.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome impossible_bandwidth(const evidence& from, void_map& voids);

/// Does a rate exceed a ceiling of its link?
bool exceeds_ceiling(const counter_evidence& counter, const evidence& from);

}  // namespace assay::audit
