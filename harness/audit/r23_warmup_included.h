// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R23: work of the warm-up counted with the work that is claimed.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome warmup_included(const evidence& from, std::span<const model::finding> all,
                                    const model::finding& of);

}  // namespace assay::audit
