// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/counter_spec.h"

namespace assay::audit {

std::vector<counter_spec> specs_of(std::span<const trace::contract_row> rows) {
  std::vector<counter_spec> specs;
  specs.reserve(rows.size());
  for (const trace::contract_row& row : rows) {
    counter_spec spec{row};
    for (std::size_t i = 0; i < rows.size() && !row.pairs_with.bytes_counter.empty(); ++i)
      if (rows[i].name == row.pairs_with.bytes_counter) spec.paired_row = static_cast<int>(i);
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace assay::audit
