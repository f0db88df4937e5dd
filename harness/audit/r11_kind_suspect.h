// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R11: a counter that behaves as a level, or a level that behaves as a counter.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome kind_suspect(const evidence& from, std::span<const model::finding> all,
                                 const model::finding& of);

}  // namespace assay::audit
