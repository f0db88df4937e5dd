// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What every form of two investigations side by side says.
#pragma once

#include "reports/model/investigation_difference.h"
#include "reports/wording/word_document.h"

namespace assay::reports {

/// Headline (what either audit found stands before every figure), times, exact amounts, facts that
/// differ, the findings of both, and what this cannot tell.
word_document difference_document(const model::investigation_difference& report);

}  // namespace assay::reports
