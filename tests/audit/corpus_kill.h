// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether a report kills a lie of the corpus, as its row says that it must.
#pragma once

#include <string>

#include "tests/audit/corpus.h"

namespace assay::audit_test {

/// Does the case's rule speak of the case's subject?
bool speaks(const model::audit_report& report, const corpus_case& of);

/// Null where the report has no such counter.
const model::counter_line* line_named(const model::audit_report& report, const std::string& name);

/// It speaks, and what it voids is undecided; of a control, that nothing is found.
bool is_killed(const model::audit_report& report, const corpus_case& of);

}  // namespace assay::audit_test
