// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R10: the right figure in another unit.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome unit_suspect(const evidence& from, std::span<const model::finding> all,
                                 const model::finding& of);

}  // namespace assay::audit
