// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Lies that no trace can show: of names, documents and variables. The guard's rules judge them.
#pragma once

#include <span>
#include <string_view>

#include "reports/model/guard_report.h"

namespace assay::audit_test {

struct guard_case {
  std::string_view name;
  std::string_view source;
  std::string_view claims;
  std::string_view truth;
  std::string_view rule;  ///< empty: a control
  std::string_view subject;
  /// With every check but those of one rule.
  model::guard_report (*make)(std::string_view left_out);
};

std::span<const guard_case> guard_corpus();

}  // namespace assay::audit_test
