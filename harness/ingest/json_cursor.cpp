// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/json_cursor.h"

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/json_text.h"

namespace assay::ingest {

bool json_cursor::has(const char* key) const {
  return value_->is_object() && value_->contains(key) && !value_->at(key).is_null();
}

std::optional<json_cursor> json_cursor::find(const char* key) const {
  if (!has(key)) return std::nullopt;
  return json_cursor(value_->at(key), file_, fmt::format("{}.{}", path_, key));
}

result<json_cursor> json_cursor::at(const char* key) const {
  if (!value_->is_object()) return refuse("is no object");
  if (auto found = find(key)) return std::move(*found);
  return refused(file_, fmt::format("{}.{}", path_, key), "is missing",
                 "have the tool write it again");
}

result<std::vector<json_cursor>> json_cursor::elements() const {
  if (!value_->is_array()) return refuse("is no list");
  std::vector<json_cursor> all;
  for (std::size_t i = 0; i < value_->size(); ++i)
    all.push_back(json_cursor((*value_)[i], file_, fmt::format("{}[{}]", path_, i)));
  return all;
}

result<std::string> json_cursor::text() const {
  if (!value_->is_string()) return refuse("is no text");
  return value_->get<std::string>();
}

result<double> json_cursor::number() const {
  const auto number = number_in(*value_);
  if (!number) return refuse("is no number");
  return *number;
}

result<std::vector<double>> json_cursor::numbers() const {
  ASSAY_TRY_ASSIGN(const auto all, elements());
  std::vector<double> values;
  for (const json_cursor& each : all) {
    ASSAY_TRY_ASSIGN(const double value, each.number());
    values.push_back(value);
  }
  return values;
}

failure json_cursor::refuse(std::string_view reason) const {
  return refused(file_, path_, reason, "have the tool write it again");
}

}  // namespace assay::ingest
