// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The identity of a ratio or a rate, where its words say how it is made of other counters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// `result` = sum of `part` over sum of `whole`; or the sum of `part` is 1, where `result` is
/// empty.
struct formula {
  std::string result;
  std::vector<std::string> part;
  std::vector<std::string> whole;

  friend bool operator==(const formula&, const formula&) = default;
};

/// "a.b.hit_ratio = a.b.hits_count / a.b.hits_count + a.b.misses_count", "a.b.x_ratio + a.b.y_ratio
/// = 1". Names between spaces; everything before the / is one sum, everything behind it another.
/// Nothing where the words are no such formula.
std::optional<formula> parse_formula(std::string_view words);

}  // namespace assay::trace
