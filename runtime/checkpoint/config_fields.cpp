// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/config_fields.h"

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/json_text.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;

std::string fault_of(const json& value) {
  return value.is_null() ? "is missing" : "is " + shown(value);
}

bool is_whole_within(const json& value, std::uint64_t lowest, std::uint64_t highest) {
  // Negative numbers are number_integer, all others of the kind number_unsigned.
  if (!value.is_number_unsigned()) return false;
  const auto number = value.get<std::uint64_t>();
  return number >= lowest && number <= highest;
}

}  // namespace

const json& field_or_null(const json& object, std::string_view key) {
  static const json null_value;
  const auto found = object.find(key);
  return found == object.end() ? null_value : *found;
}

result<std::uint32_t> read_count(const json& value, const field_place& place,
                                 std::uint32_t at_most) {
  if (is_whole_within(value, 1, at_most)) return value.get<std::uint32_t>();
  return ASSAY_FAIL(unusable_input,
                    complaint(place.file, place.name, fault_of(value),
                              fmt::format("write a whole number from 1 to {}", at_most)));
}

result<double> read_positive(const json& value, const field_place& place, double below) {
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number > 0.0 && number < below) return number;
  }
  return ASSAY_FAIL(unusable_input,
                    complaint(place.file, place.name, fault_of(value),
                              fmt::format("write a number above 0 and below {}", below)));
}

result<std::vector<std::int32_t>> read_token_ids(const json& value, const field_place& place,
                                                 std::uint32_t vocab_rows) {
  std::vector<std::int32_t> ids;
  if (value.is_null()) return ids;
  const json list = value.is_array() ? value : json::array({value});
  for (const json& id : list) {
    if (!is_whole_within(id, 0, vocab_rows - 1))
      return ASSAY_FAIL(unusable_input,
                        complaint(place.file, place.name, fault_of(id),
                                  fmt::format("write null, a token id from 0 to {}, or a list of "
                                              "such ids",
                                              vocab_rows - 1)));
    ids.push_back(id.get<std::int32_t>());
  }
  return ids;
}

result<void> require_value(const json& value, const field_place& place, const json& accepted) {
  if (value == accepted) return {};
  return ASSAY_FAIL(unusable_input,
                    complaint(place.file, place.name, fault_of(value),
                              fmt::format("only {} is implemented: use a checkpoint that has it",
                                          shown(accepted))));
}

}  // namespace assay::checkpoint
