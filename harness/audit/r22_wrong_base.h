// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R22: a total given as a mean, or a mean as a total.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome wrong_base(const evidence& from, std::span<const model::finding> all,
                               const model::finding& of);

}  // namespace assay::audit
