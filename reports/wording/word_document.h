// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A report in words, before it takes a form.
#pragma once

#include <string>
#include <vector>

#include "reports/wording/word_table.h"

namespace assay::reports {

struct word_document {
  std::string title;
  std::vector<std::string> headline;  ///< one line each, the first is the one to read
  bool is_warning = false;            ///< of the first line
  std::vector<word_table> tables;
  std::vector<std::string> blind_spots;  ///< what the report cannot tell
};

}  // namespace assay::reports
