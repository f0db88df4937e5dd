// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether every form of the report shows what it is given.
#pragma once

#include "harness/guard/project.h"
#include "reports/model/audit_report.h"

namespace assay::cli {

/// Changes one counter after the other in a copy of the report, and notes the forms that stay as
/// they were: to find the counter's name in a text says nothing of its value. Then puts a mark into
/// each part that is shown only where it is not empty. Overhead: a rendering a counter and form.
void look_at_surfaces(const model::audit_report& report, guard::project_facts& facts);

}  // namespace assay::cli
