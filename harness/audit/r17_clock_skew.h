// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R17 CLOCK_SKEW: the device's times do not fit the host's. Voids times.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

rule_outcome clock_skew(const evidence& from, void_map& voids);

}  // namespace assay::audit
