// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The audit as GitHub-flavoured Markdown.
#pragma once

#include <string>

#include "reports/model/audit_report.h"

namespace assay::reports {

/// The parts and the order of audit_as_text, as headings, tables and lists. What comes from a trace
/// is escaped: it can neither end a cell nor become markup.
/// Errors: none. Pure.
std::string audit_as_markdown(const model::audit_report& report);

}  // namespace assay::reports
