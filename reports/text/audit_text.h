// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The audit for a terminal.
#pragma once

#include <string>

#include "reports/model/audit_report.h"

namespace assay::reports {

struct text_options {
  bool is_coloured = false;  ///< ANSI colours; the caller decides by isatty and NO_COLOR
};

/// Headline, the counters worst first in aligned columns, the findings in words, then rules, gates,
/// unclaimed activity, ceilings and facts.
/// Units: human (µs, MiB, GB/s); bytes exact. Errors: none. Pure: the same report gives the same
/// bytes.
std::string audit_as_text(const model::audit_report& report, const text_options& options = {});

}  // namespace assay::reports
