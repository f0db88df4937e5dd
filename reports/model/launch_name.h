// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A class of launches in words, one way for whoever compares and whoever renders.
#pragma once

#include <cstdint>
#include <string>

#include "reports/model/investigation.h"

namespace assay::model {

/// The words name the class in any run. `number_words` writes an amount: (std::int64_t) -> string.
template <typename NumberWords>
std::string launch_name(const launch_class& which, NumberWords number_words) {
  if (which.is_rest) return "all other launches";
  std::string name = which.op.empty() ? "launch of " + which.range : which.op;
  if (which.weight_bytes != 0)
    name += ", " + number_words(which.weight_bytes) + " B of weights each";
  if (which.reads_kv) name += ", reads KV";
  if (which.weight_bytes == 0 && !which.reads_kv)
    name += ", " + number_words(which.blocks) + " blocks";
  return name;
}

/// As a key: digits alone.
inline std::string launch_name(const launch_class& which) {
  return launch_name(which, [](std::int64_t amount) { return std::to_string(amount); });
}

}  // namespace assay::model
