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
  std::string what;  ///< a sentence without its subject: "promises x, which line 3 promises"
};

/// Everything in which the contract contradicts itself, by line. Pure.
std::vector<contradiction> contradictions(const model::guard_contract& contract);

}  // namespace assay::guard
