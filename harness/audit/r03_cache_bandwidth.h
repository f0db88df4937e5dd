// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R03: memory that is read faster than memory can be read was not read from memory.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome cache_bandwidth(const evidence& from, void_map& voids);

/// Does this rule have a rate's claim, above all that memory gives?
bool exceeds_memory(const counter_evidence& counter, const ceiling_book& ceilings);

/// Whether a link is memory that a cache may stand before, and so this rule's and not R02's.
bool is_cached(telemetry::link_class link);

}  // namespace assay::audit
