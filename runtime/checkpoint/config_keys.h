// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The keys of a config.json, as tables: what is read, what may be ignored; what is tied to one
// value is in config_family.h. A key in none of them is an error: nobody has judged what it
// changes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/checkpoint/config_family.h"
#include "runtime/checkpoint/model_config.h"

namespace assay::checkpoint {

/// A positive whole number, at most `at_most`.
struct count_key {
  std::string_view name;
  std::uint32_t model_config::*slot;
  std::uint32_t at_most;
  bool family::*derived = nullptr;  ///< may be absent where the family says so
};
std::span<const count_key> count_keys();

/// True where one of the readers of this room takes the key for this family, or where it cannot
/// change a logit.
bool is_known_key(std::string_view name, const family& of);

}  // namespace assay::checkpoint
