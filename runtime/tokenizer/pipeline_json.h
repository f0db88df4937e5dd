// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the readers of the components around the model share.
#pragma once

#include "runtime/telemetry/result.h"
#include "runtime/tokenizer/json_object.h"

#include <string>
#include <string_view>

namespace assay::tokenizer {

/// The failure that a component is of a type that nobody here knows. `known`: those that are.
failure unknown_type(const json_object& component, const std::string& type, std::string_view known);

struct byte_level_flags {
  bool adds_prefix_space = true;
  bool uses_regex = true;
};

/// ByteLevel stands in three roles and reads its flags in one of them only: what they mean is the
/// caller's business. `trim_offsets` is about offsets, which nobody here keeps.
/// Errors: another type, an unknown field, a flag that is not boolean.
result<byte_level_flags> read_byte_level(const json_object& object);

}  // namespace assay::tokenizer
