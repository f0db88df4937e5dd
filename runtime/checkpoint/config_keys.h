// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The keys of a Qwen3 config.json, as tables: what is read, what is tied to one value, what may be
// ignored. A key in none of them is an error, since nobody has judged what it changes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/checkpoint/model_config.h"

namespace assay::checkpoint {

/// A positive whole number, at most `at_most`.
struct count_key {
  std::string_view name;
  std::uint32_t model_config::*slot;
  std::uint32_t at_most;
};
std::span<const count_key> count_keys();

/// A key for which the runtime has one behaviour only. Absent and null mean that value too, except
/// where the key is required.
struct fixed_key {
  std::string_view name;
  std::string_view accepted;  ///< as JSON
  bool is_required;
};
std::span<const fixed_key> fixed_keys();

/// True where one of the readers of this room takes the key, or where it cannot change a logit.
bool is_known_key(std::string_view name);

}  // namespace assay::checkpoint
