// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A place in a JSON tree that knows how to complain about itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Lifetime: points into the tree and the file's name. Errors, all unusable_input: file, JSON path,
/// what was wanted there.
class json_cursor {
 public:
  json_cursor(const nlohmann::json& root, std::string_view file) : value_(&root), file_(file) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& path() const { return path_; }

  bool has(const char* key) const;
  result<json_cursor> at(const char* key) const;
  /// Absent, or null, is none.
  std::optional<json_cursor> find(const char* key) const;
  /// Each element of a list.
  result<std::vector<json_cursor>> elements() const;

  result<std::string> text() const;
  /// May be non-finite, where the tool wrote so.
  result<double> number() const;
  result<std::vector<double>> numbers() const;

  failure refuse(std::string_view reason) const;

 private:
  json_cursor(const nlohmann::json& value, std::string_view file, std::string path)
      : value_(&value), file_(file), path_(std::move(path)) {}
  const nlohmann::json* value_;
  std::string_view file_;
  std::string path_ = "$";
};

}  // namespace assay::ingest
