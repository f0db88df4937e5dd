// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The identity of a contract, where its words are an equation over counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// A counter and the side on which it stands.
struct identity_term {
  std::string counter;
  int sign = 1;  ///< +1 where it adds to the left side, -1 where to the right

  friend bool operator==(const identity_term&, const identity_term&) = default;
};

/// sum of sign x counter, plus `constant`, is 0; or is at most 0.
struct identity {
  std::vector<identity_term> terms;
  std::int64_t constant = 0;
  bool is_at_most = false;
  bool is_each_pass = false;  ///< holds after a prefill or a decode step, not at other windows

  friend bool operator==(const identity&, const identity&) = default;
};

/// "a.b.c_count - a.b.d_count + 1 = a.b.e_count", "a <= b", either followed by " at each pass".
/// Terms are names or whole numbers between spaces, at least one of them a name. Nothing where the
/// words are no such equation: they are then for people alone.
std::optional<identity> parse_identity(std::string_view words);

}  // namespace assay::trace
