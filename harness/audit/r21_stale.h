// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R21: a level that stands while what it is the level of moves.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome stale(const evidence& from, std::span<const model::finding> all,
                          const model::finding& of);

}  // namespace assay::audit
