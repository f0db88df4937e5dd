// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Coverage of base and head, flag by flag. Exact: counts admit no noise, and no flag is 0 because
// it was not uploaded.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "reports/model/coverage_data.h"
#include "reports/model/coverage_table.h"

namespace assay::compare {

struct coverage_input {
  std::map<std::string, model::coverage_data> base{};
  std::map<std::string, model::coverage_data> head{};
  /// Flags of the head that were not measured for it: what they are and where they come from.
  std::map<std::string, std::string> carried{};
  std::optional<model::touched_lines> touched{};  ///< none: no diff was given
};

/// Every flag of either side once. Pure.
model::coverage_table coverage_change(const coverage_input& input);

/// Whether a path of a tool, perhaps absolute, is that file of the repository: equal, or ending
/// with it behind a slash.
bool is_path_of(const std::string& tool_path, const std::string& repository_path);

}  // namespace assay::compare
