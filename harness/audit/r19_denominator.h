// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R19: a rate or share whose denominator leaves time out.
#pragma once

#include "harness/audit/rule.h"

namespace assay::audit {

explanation_outcome denominator(const evidence& from, std::span<const model::finding> all,
                                const model::finding& of);

}  // namespace assay::audit
