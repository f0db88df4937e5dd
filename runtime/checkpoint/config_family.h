// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The model families that the runtime decodes, each with what its config.json may say.
#pragma once

#include <span>
#include <string_view>

#include "runtime/checkpoint/model_config.h"

namespace assay::checkpoint {

/// A key for which the runtime has one behaviour only. Absent and null mean that value too, except
/// where the key is required.
struct fixed_key {
  std::string_view name;
  std::string_view accepted;  ///< as JSON
  bool is_required;
};

/// What an architecture has that its config.json does not say, and what follows where it is silent.
struct family {
  checkpoint::architecture architecture;
  std::string_view model_type;
  bool has_qkv_bias;
  bool has_qk_norm;
  bool derives_head_dim;             ///< an absent head_dim is hidden_size / num_attention_heads
  bool derives_kv_heads;             ///< an absent num_key_value_heads is num_attention_heads
  std::span<const fixed_key> fixed;  ///< beside those of every family
};

std::span<const family> families();

/// Keys that are tied to one value in every family.
std::span<const fixed_key> fixed_keys_of_all();

}  // namespace assay::checkpoint
