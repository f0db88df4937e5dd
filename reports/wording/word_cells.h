// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Cells that several tables share: words to read, and the number to sort by.
#pragma once

#include <cstdint>

#include "reports/wording/quantity_words.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

inline word_cell time_cell(std::int64_t ns) {
  return {duration_words(ns), static_cast<double>(ns)};
}

inline word_cell count_cell(std::uint64_t count) {
  return {with_separators(count), static_cast<double>(count)};
}

}  // namespace assay::reports
