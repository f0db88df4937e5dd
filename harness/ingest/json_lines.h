// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where in a JSON text its parts stand, for complaints that name a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace assay::ingest {

/// Lines of a JSON text, by the paths that json_cursor uses: $.metrics[3].unit.
class json_lines {
 public:
  /// `text` is JSON as parse_json() takes it; of anything else the lines are as good as they get.
  explicit json_lines(std::string_view text);

  /// The line of a path, or of the nearest part that holds it; counted from 1.
  std::size_t line_of(std::string path) const;

  /// The first key that an object has twice, which a parser lets win in silence.
  const std::optional<std::string>& twice() const { return twice_; }

 private:
  std::unordered_map<std::string, std::size_t> lines_;
  std::optional<std::string> twice_;
};

}  // namespace assay::ingest
