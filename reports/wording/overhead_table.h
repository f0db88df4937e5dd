// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model/investigation.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

/// What a GPU's recorder and its driver did for themselves, by kind and thread.
word_table overheads_table(const model::investigation& report);

}  // namespace assay::reports
