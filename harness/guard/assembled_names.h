// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Metrics whose name a library makes of what stands in the source. Of parts beside each other:
// Namespace: "srv", Subsystem: "cache", Name: "hits_total"; of a name with dots, to which it
// appends the unit: "srv.request.duration" of srv_request_duration_seconds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace assay::guard {

class assembled_names {
 public:
  /// `prefixes` are namespaces: they may stand elsewhere, as a constant.
  void want(std::string_view metric, const std::vector<std::string>& prefixes);

  /// A string of the source, in the order of lines. `is_declared`: it is the first argument of a
  /// call that makes a metric.
  void take(std::string_view token, std::size_t line, bool is_declared);
  bool is_part(std::string_view token) const;

  /// Each metric that the file which was taken has by a name with dots, or of which it holds the
  /// last part within so many lines of the one before it; then it forgets the file. A last part
  /// that is a lone word counts where it is declared.
  std::vector<std::pair<std::string, std::size_t>> end_of_file(std::size_t near_lines);

 private:
  struct ending {
    std::string metric;
    std::string before;  ///< "cache", or "srv_cache"
  };
  std::unordered_map<std::string, std::vector<ending>> endings_;  ///< by the last part
  std::unordered_set<std::string> befores_;
  std::unordered_map<std::string, std::string> metrics_;  ///< by the name without what is appended

  std::unordered_map<std::string, std::vector<std::size_t>> seen_befores_;  ///< lines, ascending
  std::vector<std::pair<std::string, std::size_t>> seen_endings_;
  std::vector<std::pair<std::string, std::size_t>> seen_metrics_;
};

}  // namespace assay::guard
