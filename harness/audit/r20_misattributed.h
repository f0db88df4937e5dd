// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R20: right figures under each other's names.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome misattributed(const evidence& from, std::span<const model::finding> all,
                                  const model::finding& of);

}  // namespace assay::audit
