// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R01 ENQUEUE_TIMED: a timer stopped when the work was submitted, not when it was done.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome enqueue_timed(const evidence& from, void_map& voids);

/// Does the counter's time fit the calls that submitted its work, and not the work?
bool is_enqueue_timed(const counter_evidence& counter);

}  // namespace assay::audit
