// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R28: somebody else holds what records the device's work, took it over while the run went on, or
// nothing here can record it.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome collector_conflict(const evidence& from, void_map& voids);

}  // namespace assay::audit
