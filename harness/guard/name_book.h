// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which of the names that matter occur in a heap of texts, and where first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/guard/assembled_names.h"
#include "harness/guard/document_claims.h"
#include "reports/model/guard_contract.h"

namespace assay::guard {

struct name_place {
  std::string file{};
  std::size_t line = 0;
};

/// Keeps names that begin with one of the prefixes, and the names that are promised; nothing else,
/// so that a tree of a million lines costs a table of the size of the contract.
class name_book {
 public:
  explicit name_book(const model::guard_contract& contract);

  /// Words of prose: names as a reader sees them, also in code blocks and tables. The name of a
  /// file or a folder (srv_tool.py, /opt/srv_tool) is none, unless it is promised.
  void add_document(std::string_view text, std::string_view file);

  /// Tokens of a program: the contents of string literals, and variables that a shell or an
  /// environment object names. Comments are nothing. The language is told by the file's name.
  /// False where no language is known for it: nothing was looked at.
  bool add_source(std::string_view text, std::string_view file);

  /// Null where the name does not occur.
  const name_place* find(std::string_view name) const;

  /// A metric as a program may write it: whole, or without the prefix and what a format appends
  /// where a library adds the rest. What is left is then often an everyday word ("requests"), which
  /// counts only where it is declared: as the first argument of a call that makes a metric
  /// (Counter("requests", …)), or within five lines of a string that holds the prefix. Or in parts,
  /// a subsystem and a name within five lines of each other (assembled_names.h).
  const name_place* find_written_metric(std::string_view name) const;

  /// A metric by its whole name: with its prefix, and with or without what a format appends. A
  /// reader searches for what is published, and "requests" is a word of prose.
  const name_place* find_whole_metric(const model::promised_metric& metric) const;

  /// What the documents say that a metric is, in their order.
  const std::vector<document_claim>& claims() const { return claims_; }

  const std::unordered_map<std::string, name_place>& names() const { return names_; }
  std::uint64_t file_count() const { return file_count_; }
  std::uint64_t line_count() const { return line_count_; }

 private:
  bool is_wanted(std::string_view name) const;
  void add(std::string_view name, std::string_view file, std::size_t line);
  bool holds_prefix(std::string_view token) const;
  /// What of a word can be a name of ours; empty where nothing can.
  std::string_view without_foreign_parts(std::string_view word) const;

  std::vector<std::string> metric_prefixes_;
  std::vector<std::string> variable_prefixes_;
  std::unordered_set<std::string> wanted_;
  std::unordered_set<std::string> short_forms_;  ///< wanted, and a name only where declared
  std::string joints_;  ///< of '.' and ':', those that some name or prefix has
  std::unordered_map<std::string, name_place> names_;
  std::unordered_map<std::string, name_place> declared_;  ///< short forms of the source
  assembled_names assembled_;
  std::unordered_map<std::string, name_place> written_in_parts_;  ///< metrics, by whole name
  std::vector<document_claim> claims_;
  std::uint64_t file_count_ = 0;
  std::uint64_t line_count_ = 0;
};

using sorted_names = std::map<std::string_view, const name_place*>;

/// Names of a book that begin with one of the prefixes, in an order that two runs share. Not those
/// of a family ("FOO_*", "FOO_"): no program reads or writes them.
sorted_names names_with(const name_book& book, const std::vector<std::string>& prefixes);

}  // namespace assay::guard
