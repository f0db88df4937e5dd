// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether a contract can be kept at all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/model/guard_contract.h"

namespace assay::guard {

struct contradiction {
  std::size_t line = 0;
  std::string path;  ///< "$.metrics[2]": a contract may be one line
  std::string
      what;  ///< a sentence without its subject: "promises x, which line 3, $.metrics[0] promises"

  std::string where() const;  ///< "line 3, $.metrics[2]"
};

/// Everything in which the contract contradicts itself, by line. Pure.
std::vector<contradiction> contradictions(const model::guard_contract& contract);

}  // namespace assay::guard
