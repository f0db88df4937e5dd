// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R16 MONOTONIC/NEGATIVE: a cumulative counter or a peak went back, or a level is below zero.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome monotonic(const evidence& from, void_map& voids);

}  // namespace assay::audit
